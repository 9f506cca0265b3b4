// What the tests of filtered connections share: one connection with a ToyFilter, and its peer, who
// speaks toy frames by hand.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "nio/connection/ToyFilter.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>

namespace support {

class ToyConnection : public ::testing::Test {
  protected:
    const std::string hello = std::string(1, toyGreeting);

    support::PacketChannel& add(const nio::StreamOptions& options = {}, bool greets = false) {
        return addWith(std::make_unique<ToyFilter>(greets), options);
    }
    support::PacketChannel& addWith(std::unique_ptr<nio::ByteFilter> filter,
                                    const nio::StreamOptions& options = {}) {
        auto made =
            support::makeChannel(std::move(link.channel), std::make_unique<nio::LineDecoder>(),
                                 listener, std::make_shared<nio::StreamOptions>(options));
        made->setFilter(std::move(filter));
        return dispatcher.add(std::move(made), nio::Interest::read);
    }
    // With the greeting behind it.
    support::PacketChannel& addReady(const nio::StreamOptions& options = {}) {
        support::PacketChannel& channel = add(options);
        link.peer.send(hello);
        EXPECT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
        EXPECT_EQ(link.peer.receive(1), hello);
        return channel;
    }
    bool readable() {
        pollfd entry{link.peer.fd(), POLLIN, 0};
        return nio::kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero()).value() > 0;
    }
    void collect() {
        listener->onPacket = [this](support::PacketChannel&, std::string_view packet) {
            arrived.emplace_back(packet);
        };
    }
    bool turnUntilEnded() {
        return dispatcher.turnUntil([&] { return listener->ended() == 1; });
    }
    // All that comes until the connection has finished.
    ToyText receiveAll() {
        std::string stream;
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            stream += link.peer.receiveWhatIsThere();
            return link.peer.last().status != nio::IoStatus::wouldBlock;
        }));
        return toyDecode(stream);
    }
    // At least so much text.
    ToyText receiveText(std::size_t count) {
        std::string stream;
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            stream += link.peer.receiveWhatIsThere();
            return toyDecode(stream).text.size() >= count;
        }));
        return toyDecode(stream);
    }

    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    const std::shared_ptr<ScriptedListener> listener = std::make_shared<ScriptedListener>();
    std::vector<std::string> arrived;
    TestDispatcher dispatcher;
};

}  // namespace support
