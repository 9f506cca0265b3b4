// A dispatcher whose turns the test makes on its own thread, so that nothing depends on time, and
// what it reported.
//
// Thread: that of the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nio/loop/SelectorThread.h>

#include "nio/sys/KernelTesting.h"
#include "support/RecordingHandler.h"
#include "support/TestSockets.h"

namespace support {

class TestDispatcher {
  public:
    explicit TestDispatcher(std::string name = "test", nio::SelectorThreadOptions options = {})
        : thread_(watched(std::move(name), std::move(options))) {}

    nio::SelectorThread& operator*() { return thread_; }
    nio::SelectorThread* operator->() { return &thread_; }

    // Without a wait.
    bool turn() { return thread_.turn(std::chrono::nanoseconds::zero()); }
    void turns(int count) {
        for (int i = 0; i < count; ++i) turn();
    }

    // Runs it inside a turn; what it throws comes out here.
    template <class F>
    void inTurn(F&& f) {
        std::exception_ptr thrown;
        bool ran = false;
        auto task = [&] {
            ran = true;
            try {
                f();
            } catch (...) {
                thrown = std::current_exception();
            }
        };
        ASSERT_TRUE(thread_.invokeLater(task));
        while (!ran) turn();
        if (thrown) std::rethrow_exception(thrown);
    }

    // Makes turns that wait for events until it is done; false when it takes too long.
    template <class F>
    bool turnUntil(F&& done) {
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (!done() && nio::Clock::now() < end) thread_.turn(std::chrono::milliseconds(100));
        return done();
    }

    // Registers it inside a turn. The handler belongs to the dispatcher then.
    template <class H>
    H& add(std::unique_ptr<H> handler, nio::Interest interest) {
        H& added = *handler;
        inTurn([&] {
            const auto registered = thread_.registerChannelNow(std::move(handler), interest);
            EXPECT_TRUE(registered.ok());
        });
        return added;
    }

    RecordingHandler& add(Link& link, const std::string& name, Journal& journal,
                          nio::Interest interest = nio::Interest::read) {
        return add(std::make_unique<RecordingHandler>(std::move(link.channel), name, journal),
                   interest);
    }

    // "handler::callback: what", in order.
    std::vector<std::string> failures;
    std::vector<std::string> misuses;

  private:
    static std::string brief(const nio::Failure& failure) {
        return failure.handler + "::" + failure.callback + ": " + failure.what();
    }

    nio::SelectorThreadOptions watched(std::string name, nio::SelectorThreadOptions options) {
        options.name = std::move(name);
        options.onFailure = [this](const nio::Failure& f) { failures.push_back(brief(f)); };
        options.onMisuse = [this](const nio::Failure& f) { misuses.push_back(brief(f)); };
        return options;
    }

    nio::SelectorThread thread_;
};

}  // namespace support
