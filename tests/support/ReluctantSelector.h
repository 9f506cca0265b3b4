// A selector that does not let go of a key at once, as an engine whose operations are under way.
// What arrives meanwhile it takes out of the kernel, as such an engine does.
//
// Thread: its dispatcher's own; `lets` the test's, which makes the turns.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <nio/channel/ReadinessIo.h>
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThreadOptions.h>

namespace support {

class ReluctantSelector final : public nio::Selector {
  public:
    struct Mood {
        bool lets = false;
        // What it still sends for the channel, the socket does not take.
        bool fallsShort = false;
        int asked = 0;
        // Runs when the engine is to submit what it has queued: before a pause, or a hand-driven
        // turn ends.
        std::function<void()> onHandOver{};
        nio::kernel::WaitTime lastWait{};
        bool wasWoken = false;  // by the last wait
    };

    explicit ReluctantSelector(Mood& mood) : mood_(mood) {}

    static nio::SelectorThreadOptions options(Mood& mood) {
        nio::SelectorThreadOptions options;
        options.openSelector = [&mood]() -> nio::Result<std::unique_ptr<nio::Selector>> {
            return std::unique_ptr<nio::Selector>(std::make_unique<ReluctantSelector>(mood));
        };
        return options;
    }

    std::string_view name() const override { return "reluctant"; }
    nio::ChannelIo& io() override { return io_; }

  private:
    nio::Result<void> watch(nio::SelectionKey& key) override {
        keys_.push_back(&key);
        return {};
    }
    void unwatch(nio::SelectionKey& key) override { std::erase(keys_, &key); }
    nio::Result<void> rearm(nio::SelectionKey&) override { return {}; }
    nio::Result<void> handOver() override NIO_REQUIRES(nio::onDispatcher) {
        if (mood_.onHandOver) mood_.onHandOver();
        return {};
    }

    bool detach(nio::SelectionKey& key) override NIO_REQUIRES(nio::onDispatcher) {
        ++mood_.asked;
        if (std::exchange(mood_.fallsShort, false)) key.addInterest(nio::Interest::write);
        auto& channel = dynamic_cast<nio::SocketChannel&>(key.channel());
        nio::Byte buffer[64];
        const nio::IoResult got = nio::kernel::receive(channel.fd(), buffer);
        if (got.isDone()) channel.unread({buffer, got.bytes});
        if (mood_.lets) unwatch(key);
        return mood_.lets;
    }

    nio::Result<void> wait(nio::kernel::WaitTime time) override NIO_REQUIRES(nio::onDispatcher) {
        std::vector<pollfd> entries{{wakeUp()->fd(), POLLIN, 0}};
        for (const nio::SelectionKey* key : keys_) {
            const bool writes = any(key->interest() & nio::Interest::write);
            entries.push_back(
                {key->channel().fd(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
        }
        (void)nio::kernel::waitPoll(entries, time).orThrow();
        mood_.lastWait = time;
        mood_.wasWoken = entries[0].revents != 0;
        if (mood_.wasWoken) wakeUp()->clear();
        const std::vector<nio::SelectionKey*> keys = keys_;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            nio::Interest found = nio::Interest::none;
            if ((entries[i + 1].revents & ~POLLOUT) != 0) found = nio::Interest::read;
            if ((entries[i + 1].revents & POLLOUT) != 0) found = found | nio::Interest::write;
            if (any(found)) offer(*keys[i], found, false);
        }
        return {};
    }

    Mood& mood_;
    nio::ReadinessIo io_{4096};
    std::vector<nio::SelectionKey*> keys_;
};

}  // namespace support
