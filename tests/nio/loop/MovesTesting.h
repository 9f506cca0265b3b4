// Three dispatchers, turned by the test, and one channel that is moved between them.
//
// Thread: that of the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/Engines.h"
#include "support/MovingHandler.h"
#include "support/TestDispatcher.h"

namespace support {

class MovesTest : public testing::TestWithParam<nio::SelectorKind> {
  protected:
    MovingHandler& add(TestDispatcher& dispatcher, nio::Interest interest = nio::Interest::read) {
        return add(dispatcher, link_, interest);
    }
    MovingHandler& add(TestDispatcher& dispatcher, Link& link, nio::Interest interest) {
        MovingHandler& added = dispatcher.add(
            std::make_unique<MovingHandler>(std::move(link.channel), "c", journal_), interest);
        dispatcher.inTurn([&] { handle_ = dispatcher->handleOf(added.channel()); });
        return added;
    }
    void move(TestDispatcher& target) { move(a_, target); }
    void move(TestDispatcher& from, TestDispatcher& target) {
        ASSERT_TRUE(from->moves().moveLater(handle_, *target, errors()));
        settle();
    }
    nio::CallbackErrorHandler errors() {
        return [this](const nio::Error& error) { errors_.push_back(error.message()); };
    }
    // Until nothing is under way.
    void settle() {
        for (int i = 0; i < 6; ++i) {
            for (TestDispatcher* each : {&a_, &b_, &c_}) each->turn();
        }
    }
    void post(const std::string& what) {
        ASSERT_TRUE(a_->invokeLater(handle_, [this, what](nio::SelectorHandler& handler) {
            journal_.push_back(what + " on " + handler.dispatcher().name());
        }));
    }
    bool isAt(TestDispatcher& dispatcher) {
        bool found = false;
        dispatcher.inTurn([&] { found = dispatcher->findNow(handle_) != nullptr; });
        return found;
    }

    Journal journal_;
    std::vector<std::string> errors_;
    Link link_ = makeLink();
    nio::ChannelHandle handle_;
    TestDispatcher a_{"a", with(GetParam())};
    TestDispatcher b_{"b", with(GetParam())};
    TestDispatcher c_{"c", with(GetParam())};
};

}  // namespace support
