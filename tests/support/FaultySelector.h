// A selector that misbehaves when the test says so: readiness that is not there, a key that the
// kernel does not watch any more, a wait that fails. Otherwise it reports what poll() finds.
//
// Thread: its dispatcher's own; the faults the test's, which makes the turns.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <nio/channel/ReadinessIo.h>
#include <nio/loop/SelectorThreadOptions.h>

namespace support {

class FaultySelector final : public nio::Selector {
  public:
    struct Faults {
        nio::Interest spurious = nio::Interest::none;  // ready in every select
        bool watch = false;                            // fails
        bool rearm = false;                            // fails
        bool wait = false;                             // fails
    };

    explicit FaultySelector(const Faults& faults) : faults_(faults) {}

    // The faults must outlive the dispatcher.
    static nio::SelectorThreadOptions options(const Faults& faults) {
        nio::SelectorThreadOptions options;
        options.openSelector = [&faults]() -> nio::Result<std::unique_ptr<nio::Selector>> {
            return std::unique_ptr<nio::Selector>(std::make_unique<FaultySelector>(faults));
        };
        return options;
    }

    std::string_view name() const override { return "faulty"; }
    nio::ChannelIo& io() override { return io_; }

  private:
    nio::Result<void> watch(nio::SelectionKey& key) override {
        if (faults_.watch) return std::errc::no_space_on_device;
        keys_.push_back(&key);
        return {};
    }
    void unwatch(nio::SelectionKey& key) override { std::erase(keys_, &key); }
    nio::Result<void> rearm(nio::SelectionKey&) override {
        if (faults_.rearm) return std::errc::no_space_on_device;
        return {};
    }

    nio::Result<void> wait(nio::kernel::WaitTime) override NIO_REQUIRES(nio::onDispatcher) {
        if (faults_.wait) return std::errc::io_error;
        const std::vector<nio::SelectionKey*> keys = keys_;
        for (nio::SelectionKey* key : keys) offer(*key, found(*key) | faults_.spurious, false);
        return {};
    }
    static nio::Interest found(const nio::SelectionKey& key) {
        pollfd entry{key.channel().fd(), POLLIN | POLLOUT, 0};
        (void)nio::kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero());
        nio::Interest ready = nio::Interest::none;
        if ((entry.revents & POLLIN) != 0) ready = ready | nio::Interest::read;
        if ((entry.revents & POLLOUT) != 0) {
            ready = ready | nio::Interest::write | nio::Interest::connect;
        }
        return ready;
    }

    const Faults& faults_;
    nio::ReadinessIo io_{4096};
    std::vector<nio::SelectionKey*> keys_;
};

}  // namespace support
