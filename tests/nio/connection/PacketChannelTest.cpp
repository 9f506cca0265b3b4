#include <nio/connection/PacketChannel.h>

#include <gtest/gtest.h>

#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>

namespace {

using support::Link;
using support::makeLink;
using support::ScriptedListener;
using support::TestDispatcher;

class PacketChannelTest : public ::testing::Test {
  protected:
    nio::PacketChannel& add(const nio::StreamOptions& options = {}, std::size_t maximum = 1000) {
        return dispatcher.add(
            std::make_unique<nio::PacketChannel>(
                std::move(link.channel), std::make_unique<nio::LineDecoder>(maximum), listener,
                std::make_shared<nio::StreamOptions>(options)),
            nio::Interest::read);
    }
    // Keeps what arrives.
    void collect() {
        listener->onPacket = [this](nio::PacketChannel&, std::string_view packet) {
            arrived.emplace_back(packet);
        };
    }

    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    const std::shared_ptr<ScriptedListener> listener = std::make_shared<ScriptedListener>();
    std::vector<std::string> arrived;
    TestDispatcher dispatcher;
};

TEST_F(PacketChannelTest, TellsThatItIsOpenBeforeAnythingElse) {
    listener->onOpened = [&](nio::PacketChannel& channel) {
        EXPECT_EQ(listener->packets, 0U);
        channel.sendPacket(nio::asBytes("welcome")).orThrow();
    };
    add();
    EXPECT_EQ(listener->opened, 1U);
    EXPECT_EQ(link.peer.receive(8), "welcome\n");
}

TEST_F(PacketChannelTest, APacketThatComesInPiecesArrivesOnce) {
    collect();
    nio::PacketChannel& channel = add();
    for (const char* piece : {"he", "l", "lo\nwor", "ld\n"}) {
        link.peer.send(piece);
        dispatcher.turns(2);
    }
    EXPECT_EQ(arrived, (std::vector<std::string>{"hello", "world"}));
    EXPECT_EQ(channel.remains().unreadBytes, 0U);
}

TEST_F(PacketChannelTest, ManyPacketsByteByByteAllArrive) {
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

TEST_F(PacketChannelTest, WhatFollowsAChangeOfProtocolGoesToTheNextHandler) {
    const auto next = std::make_shared<ScriptedListener>();
    next->onPacket = [this](nio::PacketChannel&, std::string_view packet) {
        arrived.emplace_back(packet);
    };
    listener->onPacket = [&](nio::PacketChannel& old, std::string_view) {
        nio::onDispatcher.assertCurrent();
        auto upgraded = std::make_unique<nio::PacketChannel>(
            old.takeChannel(), std::make_unique<nio::LengthFieldDecoder>(), next);
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(upgraded), nio::Interest::read));
    };
    add();
    using namespace std::string_literals;
    link.peer.send("upgrade\n\0\0\0\3one\0\0"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return arrived.size() == 1; }));
    link.peer.send("\0\3two"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return arrived.size() == 2; }));
    EXPECT_EQ(arrived, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(listener->packets, 1U);
    EXPECT_EQ(listener->ended(), 0U);
}

TEST_F(PacketChannelTest, WhatAPauseHasKeptBackGoesToTheNextHandlerToo) {
    const auto next = std::make_shared<ScriptedListener>();
    next->onPacket = [this](nio::PacketChannel&, std::string_view packet) {
        arrived.emplace_back(packet);
    };
    listener->onPacket = [&](nio::PacketChannel& old, std::string_view) { old.pauseReading(); };
    nio::PacketChannel& old = add();
    link.peer.send("pause\none\nt");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->packets == 1; }));
    link.peer.send("wo\n");
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        auto successor = std::make_unique<nio::PacketChannel>(
            old.takeChannel(), std::make_unique<nio::LineDecoder>(), next);
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(successor), nio::Interest::read));
    });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return arrived.size() == 2; }));
    EXPECT_EQ(arrived, (std::vector<std::string>{"one", "two"}));
}

TEST_F(PacketChannelTest, ALimitOfNoPacketPerTurnIsRefused) {
    EXPECT_THROW(add({.maxPacketsPerTurn = 0}), std::system_error);
}

TEST_F(PacketChannelTest, ItsHandleFindsItFromElsewhere) {
    nio::PacketChannel& channel = add();
    nio::ChannelHandle handle;
    dispatcher.inTurn([&] { handle = channel.handle(); });
    ASSERT_TRUE(handle.dispatcher()->invokeLater(handle, [](nio::SelectorHandler& found) {
        static_cast<nio::PacketChannel&>(found).sendPacket(nio::asBytes("news")).orThrow();
    }));
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(5), "news\n");
}

TEST_F(PacketChannelTest, SendingAPacketThatCannotBeFramedIsAnError) {
    nio::PacketChannel& channel = add();
    dispatcher.inTurn([&] {
        EXPECT_TRUE(channel.sendPacket(nio::asBytes(std::string(1001, 'x')))
                        .error()
                        .is(nio::Errc::packetTooLong));
        EXPECT_TRUE(
            channel.sendPacket(nio::asBytes("two\nlines")).error().is(nio::Errc::notEncodable));
        EXPECT_EQ(channel.pendingBytes(), 0U);
        channel.sendPacket(nio::asBytes("fine")).orThrow();
    });
    EXPECT_EQ(link.peer.receive(5), "fine\n");
}

TEST_F(PacketChannelTest, TellsOnceThatAllPacketsHaveBeenSent) {
    nio::PacketChannel& channel = add();
    dispatcher.inTurn([&] {
        for (int i = 0; i < 3; ++i) channel.sendPacket(nio::asBytes("x")).orThrow();
    });
    dispatcher.turns(2);
    EXPECT_EQ(listener->sent, 1U);
}

TEST_F(PacketChannelTest, AnIncompletePacketIsCountedAsUnread) {
    nio::PacketChannel& channel = add();
    link.peer.send("whole\nhal");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->packets == 1; }));
    EXPECT_EQ(channel.remains().unreadBytes, 3U);
}

TEST_F(PacketChannelTest, AbortInACallbackCountsTheRestAsUnread) {
    std::size_t unread = 0;
    listener->onPacket = [](nio::PacketChannel& channel, std::string_view) { channel.abort(); };
    listener->onException = [&](nio::PacketChannel& channel, const nio::Error&) {
        unread = channel.remains().unreadBytes;
    };
    add();
    link.peer.send("a\nbc\ndef\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->ended() == 1; }));
    dispatcher.turns(2);
    EXPECT_EQ(listener->packets, 1U);
    EXPECT_EQ(unread, 7U);
}

TEST_F(PacketChannelTest, AfterAPacketOverTheMaximumNothingMoreIsDelivered) {
    collect();
    add({}, 10);
    link.peer.send("good\n" + std::string(11, 'x') + "\nnever\n");
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->ended() == 1; }));
    EXPECT_EQ(arrived, std::vector<std::string>{"good"});
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::packetTooLong));
}

TEST_F(PacketChannelTest, ClosingAnotherConnectionDropsItsReadyPackets) {
    Link otherLink = makeLink(nio::SocketAddress::Family::ipv4);
    nio::PacketChannel& one = add();
    auto made = std::make_unique<nio::PacketChannel>(
        std::move(otherLink.channel), std::make_unique<nio::LineDecoder>(), listener);
    nio::PacketChannel& other = dispatcher.add(std::move(made), nio::Interest::read);
    listener->onPacket = [&](nio::PacketChannel& channel, std::string_view) {
        (&channel == &one ? other : one).abort();
    };
    link.peer.send("a\n");
    otherLink.peer.send("a\n");
    dispatcher.turns(3);
    EXPECT_EQ(listener->packets, 1U) << "the other one was ready too";
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_EQ(dispatcher->connectionCount(), 1U);
}

TEST_F(PacketChannelTest, SendPacketFromElsewhereIsRefused) {
    nio::PacketChannel& channel = add();
    EXPECT_THROW((void)channel.sendPacket(nio::asBytes("x")), nio::WrongThreadError);
    EXPECT_EQ(channel.pendingBytes(), 0U);
}

TEST_F(PacketChannelTest, SendPacketBeforeRegistrationIsRefused) {
    nio::PacketChannel channel(std::move(link.channel), std::make_unique<nio::LineDecoder>(),
                               listener);
    EXPECT_THROW((void)channel.sendPacket(nio::asBytes("x")), nio::WrongThreadError);
}

}  // namespace
