// Packets through a framing, as an application of a pipeline is told them.
#include <gtest/gtest.h>

#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>

namespace {

using support::Link;
using support::makeLink;
using support::ScriptedListener;
using support::TestDispatcher;

class PacketsTest : public ::testing::Test {
  protected:
    support::PacketChannel& add(const nio::StreamOptions& options = {},
                                std::size_t maximum = 1000) {
        return dispatcher.add(
            support::makeChannel(std::move(link.channel),
                                 std::make_unique<nio::LineDecoder>(maximum), listener,
                                 std::make_shared<nio::StreamOptions>(options)),
            nio::Interest::read);
    }
    // Keeps what arrives.
    void collect() {
        listener->onPacket = [this](support::PacketChannel&, std::string_view packet) {
            arrived.emplace_back(packet);
        };
    }

    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    const std::shared_ptr<ScriptedListener> listener = std::make_shared<ScriptedListener>();
    std::vector<std::string> arrived;
    TestDispatcher dispatcher;
};

TEST_F(PacketsTest, TellsThatItIsOpenBeforeAnythingElse) {
    listener->onOpened = [&](support::PacketChannel& channel) {
        EXPECT_EQ(listener->packets, 0U);
        channel.send("welcome");
    };
    add();
    EXPECT_EQ(listener->opened, 1U);
    EXPECT_EQ(link.peer.receive(8), "welcome\n");
}

TEST_F(PacketsTest, APacketThatComesInPiecesArrivesOnce) {
    collect();
    support::PacketChannel& channel = add();
    for (const char* piece : {"he", "l", "lo\nwor", "ld\n"}) {
        link.peer.send(piece);
        dispatcher.turns(2);
    }
    EXPECT_EQ(arrived, (std::vector<std::string>{"hello", "world"}));
    EXPECT_EQ(channel.remains().unreadBytes, 0U);
}

TEST_F(PacketsTest, ManyPacketsByteByByteAllArrive) {
    collect();
    add({.maxPacketsPerTurn = 2});
    std::vector<std::string> sent;
    for (int i = 0; i < 30; ++i) {
        sent.push_back("packet " + std::to_string(i));
        for (const char byte : sent.back() + "\n") {
            link.peer.send({&byte, 1});
            if (i % 3 == 0) dispatcher.turn();
        }
    }
    EXPECT_TRUE(dispatcher.turnUntil([&] { return arrived.size() == sent.size(); }));
    EXPECT_EQ(arrived, sent);
}

TEST_F(PacketsTest, ItsHandleFindsItFromElsewhere) {
    support::PacketChannel& channel = add();
    nio::ChannelHandle handle;
    dispatcher.inTurn([&] { handle = channel.handle(); });
    ASSERT_TRUE(handle.dispatcher()->invokeLater(handle, [](nio::SelectorHandler& found) {
        static_cast<support::PacketChannel&>(found).send("news");
    }));
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(5), "news\n");
}

TEST_F(PacketsTest, TellsOnceThatAllPacketsHaveBeenSent) {
    support::PacketChannel& channel = add();
    dispatcher.inTurn([&] {
        for (int i = 0; i < 3; ++i) channel.send("x");
    });
    dispatcher.turns(2);
    EXPECT_EQ(listener->sent, 1U);
}

TEST_F(PacketsTest, AnIncompletePacketIsCountedAsUnread) {
    support::PacketChannel& channel = add();
    link.peer.send("whole\nhal");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->packets == 1; }));
    EXPECT_EQ(channel.remains().unreadBytes, 3U);
}

TEST_F(PacketsTest, AbortInACallbackCountsTheRestAsUnread) {
    std::size_t unread = 0;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) { channel.abort(); };
    listener->onException = [&](support::PacketChannel& channel, const nio::Error&) {
        unread = channel.remains().unreadBytes;
    };
    add();
    link.peer.send("a\nbc\ndef\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->ended() == 1; }));
    dispatcher.turns(2);
    EXPECT_EQ(listener->packets, 1U);
    EXPECT_EQ(unread, 7U);
}

TEST_F(PacketsTest, AfterAPacketOverTheMaximumNothingMoreIsDelivered) {
    collect();
    add({}, 10);
    link.peer.send("good\n" + std::string(11, 'x') + "\nnever\n");
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->ended() == 1; }));
    EXPECT_EQ(arrived, std::vector<std::string>{"good"});
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::packetTooLong));
}

TEST_F(PacketsTest, ClosingAnotherConnectionDropsItsReadyPackets) {
    Link otherLink = makeLink(nio::SocketAddress::Family::ipv4);
    support::PacketChannel& one = add();
    auto made = support::makeChannel(std::move(otherLink.channel),
                                     std::make_unique<nio::LineDecoder>(), listener);
    support::PacketChannel& other = dispatcher.add(std::move(made), nio::Interest::read);
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        (&channel == &one ? other : one).abort();
    };
    link.peer.send("a\n");
    otherLink.peer.send("a\n");
    dispatcher.turns(3);
    EXPECT_EQ(listener->packets, 1U) << "the other one was ready too";
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_EQ(dispatcher->connectionCount(), 1U);
}

TEST_F(PacketsTest, SendPacketFromElsewhereIsRefused) {
    support::PacketChannel& channel = add();
    EXPECT_THROW(channel.send("x"), nio::WrongThreadError);
    EXPECT_EQ(channel.pendingBytes(), 0U);
}

}  // namespace
