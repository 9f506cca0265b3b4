// The same script on epoll and on io_uring: what every connection sees, and what its protocol is
// told, is the same, as far as order is defined (within a connection, and with the pieces in which
// bytes happen to arrive put together).
#include <gtest/gtest.h>

#include <random>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace {

using nio::Interest;
using nio::onDispatcher;
using support::Journal;
using support::Link;

constexpr std::size_t connections = 6;
constexpr int steps = 120;

// Answers every line, a "big" one at length; "bye" ends the connection when all has left, "cut" at
// once.
class Talker final : public nio::ReadWriteSelectorHandler {
  public:
    Talker(nio::SocketChannel channel, std::string& trace)
        : channel_(std::move(channel)), trace_(trace) {}
    nio::SocketChannel& channel() override { return channel_; }

    void handleRead() override NIO_REQUIRES(nio::onDispatcher) {
        const nio::Received got = channel_.receive();
        switch (got.status) {
            case nio::IoStatus::wouldBlock: break;
            case nio::IoStatus::closed: trace_ += "[end]"; return end();
            case nio::IoStatus::failed: trace_ += "[failed]"; return channel_.close();
            case nio::IoStatus::done: heard(nio::asText(got.bytes)); break;
        }
        if (channel_.isOpen()) update();
    }
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) {
        if (channel_.flush().isFailed()) return channel_.close();
        if (ending_ && channel_.pendingBytes() == 0) return finish();
        update();
    }
    void pause(bool on) NIO_REQUIRES(nio::onDispatcher) {
        paused_ = on;
        if (channel_.isOpen() && !ending_) update();
    }

  private:
    void heard(std::string_view text) NIO_REQUIRES(nio::onDispatcher) {
        trace_ += text;
        for (const char c : text) {
            line_ += c;
            if (c != '\n') continue;
            answer(std::exchange(line_, {}));
            if (!channel_.isOpen() || ending_) return;
        }
    }
    void answer(const std::string& line) NIO_REQUIRES(nio::onDispatcher) {
        if (line == "cut\n") return channel_.close();
        if (line == "bye\n") return end();
        const std::string text = line == "big\n" ? std::string(300'000, 'b') : "<" + line;
        (void)channel_.write(nio::asBytes(text));
    }
    void end() NIO_REQUIRES(nio::onDispatcher) {
        ending_ = true;
        (void)channel_.flush();
        channel_.pendingBytes() == 0 ? finish() : update();
    }
    void finish() NIO_REQUIRES(nio::onDispatcher) {
        (void)channel_.shutdownWrite().ok();
        channel_.close();
    }
    void update() NIO_REQUIRES(nio::onDispatcher) {
        const bool writes = channel_.pendingBytes() > 0;
        const bool reads = !paused_ && !ending_ && !writes;
        dispatcher().setChannelInterestNow(channel_,
                                           (reads ? Interest::read : Interest::none) |
                                               (writes ? Interest::write : Interest::none));
    }

    nio::SocketChannel channel_;
    std::string& trace_;
    std::string line_;
    bool paused_ = false;
    bool ending_ = false;
};

struct Outcome {
    std::vector<std::string> heard = std::vector<std::string>(connections);  // by the server
    std::vector<std::string> got = std::vector<std::string>(connections);    // by the peers
    bool operator==(const Outcome&) const = default;
};

std::string_view lastOf(std::size_t connection) {
    constexpr std::string_view lasts[] = {"bye\n", "over\n", "the last\ncut\n"};
    return lasts[connection % std::size(lasts)];
}

// The script is a function of the seed alone: nothing in it depends on what was answered.
Outcome play(nio::SelectorKind engine, unsigned seed) {
    Outcome outcome;
    std::mt19937 random(seed);
    nio::SelectorThreadOptions options;
    options.selector.kind = engine;
    options.selector.maxReceiveBuffers = 4;
    options.selector.receiveBufferBytes = 512;
    options.selector.maxSelectedKeys = 3;
    support::TestDispatcher dispatcher("test", options);
    std::vector<Link> links;
    std::vector<nio::ChannelHandle> handles;
    for (std::size_t i = 0; i < connections; ++i) {
        links.push_back(support::makeLink(nio::SocketAddress::Family::ipv4));
        auto made = std::make_unique<Talker>(std::move(links[i].channel), outcome.heard[i]);
        Talker& talker = dispatcher.add(std::move(made), Interest::read);
        dispatcher.inTurn([&] {
            onDispatcher.assertCurrent();
            handles.push_back(dispatcher->handleOf(talker.channel()));
        });
    }
    const auto pause = [&](std::size_t i, bool on) {
        dispatcher.inTurn([&] {
            onDispatcher.assertCurrent();
            if (auto* found = dispatcher->findNow(handles[i]))
                static_cast<Talker*>(found)->pause(on);
        });
    };
    const auto collect = [&](std::size_t i) {
        outcome.got[i] += links[i].peer.receiveWhatIsThere();
    };
    for (int step = 0; step < steps; ++step) {
        const std::size_t i = random() % connections;
        switch (random() % 12) {
            case 0: pause(i, true); break;
            case 1: pause(i, false); break;
            case 2: collect(i); break;
            case 3: (void)nio::kernel::send(links[i].peer.fd(), nio::asBytes("big\n")); break;
            case 4: dispatcher.turn(); break;
            default: {
                const std::string text = "step " + std::to_string(step) + " of " +
                                         std::string(random() % 400, 'x') + "\n";
                (void)nio::kernel::send(links[i].peer.fd(), nio::asBytes(text));
                break;
            }
        }
        if (random() % 3 == 0) dispatcher.turn();
    }
    for (std::size_t i = 0; i < connections; ++i) {
        pause(i, false);
        const std::string_view last = lastOf(i);
        if (last.ends_with("cut\n")) {
            // What a close loses is not defined; so nothing else is under way.
            (void)nio::kernel::send(links[i].peer.fd(), nio::asBytes("so far\n"));
            EXPECT_TRUE(dispatcher.turnUntil([&] {
                collect(i);
                return outcome.got[i].ends_with("<so far\n");
            }));
        }
        (void)nio::kernel::send(links[i].peer.fd(), nio::asBytes(last));
        if (last == "over\n") links[i].peer.finish();
    }
    EXPECT_TRUE(dispatcher.turnUntil([&] {
        for (std::size_t i = 0; i < connections; ++i) collect(i);
        return dispatcher->connectionCount() == 0;
    }));
    for (std::size_t i = 0; i < connections; ++i) {
        outcome.got[i] += links[i].peer.receiveAll();
        EXPECT_EQ(links[i].peer.last().status, nio::IoStatus::closed);
    }
    return outcome;
}

TEST(Differential, TheSameScriptGivesTheSameOnEveryEngine) {
    for (unsigned seed = 1; seed <= 25; ++seed) {
        const Outcome expected = play(nio::SelectorKind::epoll, seed);
        for (const nio::SelectorKind engine : support::everyEngine()) {
            const Outcome outcome = play(engine, seed);
            for (std::size_t i = 0; i < connections; ++i) {
                EXPECT_TRUE(outcome.heard[i] == expected.heard[i])
                    << nameOf(engine) << ", seed " << seed << ", connection " << i;
                EXPECT_TRUE(outcome.got[i] == expected.got[i])
                    << nameOf(engine) << ", seed " << seed << ", connection " << i << ": "
                    << outcome.got[i].size() << " and " << expected.got[i].size() << " bytes";
            }
        }
    }
}

}  // namespace
