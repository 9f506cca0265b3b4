#include <nio/connection/ByteFilter.h>

#include "nio/connection/StreamCase.h"
#include "nio/connection/ToyConnection.h"

namespace {

using support::toyEnd;
using support::toyFrames;

class ByteFilterTest : public support::ToyConnection {};

TEST_F(ByteFilterTest, OutputSentOnOpenWaitsForTheHandshake) {
    listener->onOpened = [](support::PacketChannel& channel) {
        channel.send("welcome");
        EXPECT_EQ(channel.pendingBytes(), 8U);
    };
    support::PacketChannel& channel = add();
    EXPECT_EQ(listener->opened, 1U);
    dispatcher.turns(5);
    EXPECT_EQ(channel.pendingBytes(), 8U);
    EXPECT_FALSE(readable());
    EXPECT_EQ(listener->sent, 0U);

    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->sent == 1; }));
    EXPECT_EQ(link.peer.receive(10), hello + toyFrames("welcome\n"));
    EXPECT_EQ(channel.pendingBytes(), 0U);
}

TEST_F(ByteFilterTest, WaitingForTheHandshakeDoesNotSpin) {
    support::PacketChannel& channel = add();
    dispatcher.inTurn([&] { channel.send("waits"); });
    dispatcher.turns(3);
    constexpr std::chrono::milliseconds sleep{15};
    nio::Clock::duration longest{0};
    for (int i = 0; i < 3 && longest < sleep; ++i) {
        const nio::TimePoint begin = nio::Clock::now();
        dispatcher->turn(sleep);
        longest = nio::Clock::now() - begin;
    }
    EXPECT_GE(longest, sleep) << "a turn with nothing to do sleeps";
}

TEST_F(ByteFilterTest, TheFirstWordsOfTheFilterLeaveAtOnce) {
    add({}, true);
    EXPECT_EQ(link.peer.receive(1), hello);
}

TEST_F(ByteFilterTest, BytesHeldByTheFilterCountUntilDelivered) {
    support::PacketChannel& channel = add();
    EXPECT_EQ(dispatcher->metrics().bufferedBytes, 0U);
    const std::string frame = toyFrames(std::string(200, 'x'));
    link.peer.send(hello + frame.substr(0, 100));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->metrics().bufferedBytes == 100; }));
    link.peer.send(frame.substr(100) + toyFrames("\n"));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->metrics().bufferedBytes == 0; }));
    EXPECT_TRUE(channel.channel().isOpen());
}

TEST_F(ByteFilterTest, InputByteByByteGivesEveryPacketOnce) {
    collect();
    add({.maxPacketsPerTurn = 2});
    std::string stream = hello;
    std::vector<std::string> packets;
    for (int i = 0; i < 30; ++i) {
        packets.push_back("packet " + std::to_string(i));
        stream += toyFrames(packets.back() + "\n");
    }
    for (std::size_t i = 0; i < stream.size(); ++i) {
        link.peer.send({&stream[i], 1});
        if (i % 3 == 0) dispatcher.turn();
    }
    EXPECT_TRUE(dispatcher.turnUntil([&] { return arrived.size() == packets.size(); }));
    EXPECT_EQ(arrived, packets);
}

TEST_F(ByteFilterTest, PacketsSentInOneCallbackAreEncodedTogether) {
    addReady();
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        for (int i = 0; i < 10; ++i) channel.send("answer");
    };
    link.peer.send(toyFrames("question\n"));
    EXPECT_EQ(receiveText(70).frames, 1U);
    EXPECT_EQ(listener->sent, 1U);
}

TEST_F(ByteFilterTest, WhatIsSentThroughIsEncodedToo) {
    auto made = std::make_unique<streams::Stream>(std::move(link.channel), nio::StreamOptions());
    made->setFilter(std::make_unique<support::ToyFilter>());
    streams::Stream& stream = dispatcher.add(std::move(made), nio::Interest::read);
    dispatcher.inTurn([&] {
        stream.sendThrough(nio::asBytes("straight "));
        stream.send(nio::asBytes("on"));
    });
    EXPECT_FALSE(readable()) << "it waits for the handshake as all else does";
    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
    EXPECT_EQ(link.peer.receive(1), hello);
    EXPECT_EQ(receiveText(11).text, "straight on");
}

TEST_F(ByteFilterTest, ManyFramesInOneReadKeepTheLimitOfPacketsPerTurn) {
    addReady({.maxPacketsPerTurn = 7});
    std::string frames;
    for (int i = 0; i < 100; ++i) frames += toyFrames("x\n");
    link.peer.send(frames);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->packets > 0; }));
    for (std::size_t before = 0; listener->packets < 100; dispatcher.turn()) {
        EXPECT_LE(listener->packets - before, 7U);
        ASSERT_GT(listener->packets, before);
        before = listener->packets;
    }
}

TEST_F(ByteFilterTest, APauseDoesNotHoldUpTheHandshakeAndKeepsThePackets) {
    collect();
    listener->onOpened = [](support::PacketChannel& channel) {
        channel.pauseReading();
        channel.send("welcome");
    };
    support::PacketChannel& channel = add();
    link.peer.send(hello + toyFrames("one\ntwo\n") + toyEnd());
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->sent == 1; }));
    dispatcher.turns(3);
    EXPECT_EQ(arrived.size(), 0U);
    EXPECT_EQ(listener->finished, 0U);
    EXPECT_EQ(channel.remains().unreadBytes, 8U);

    dispatcher.inTurn([&] { channel.resumeReading(); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->finished == 1; }));
    EXPECT_EQ(arrived, (std::vector<std::string>{"one", "two"}));
}

TEST_F(ByteFilterTest, AfterTheHandshakeAPauseLeavesTheBytesInTheKernel) {
    collect();
    support::PacketChannel& channel = addReady();
    dispatcher.inTurn([&] { channel.pauseReading(); });
    link.peer.send(toyFrames("one\n") + toyEnd());
    dispatcher.turns(5);
    EXPECT_EQ(channel.remains().unreadBytes, 0U);
    dispatcher.inTurn([&] { channel.resumeReading(); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->finished == 1; }));
    EXPECT_EQ(arrived, std::vector<std::string>{"one"});
}

TEST_F(ByteFilterTest, WhatWaitsForTheHandshakeCountsForTheOutputLimit) {
    support::PacketChannel& channel = add({.outputLimit = 1000});
    dispatcher.inTurn([&] {
        for (int i = 0; i < 20; ++i) {
            channel.send(std::string(99, 'x'));
        }
    });
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_TRUE(listener->reason()->is(nio::Errc::outputLimit));
}

TEST_F(ByteFilterTest, OutputAboveTheMarkDoesNotStallTheHandshake) {
    support::PacketChannel& channel = add({.outputHighMark = 1000});
    dispatcher.inTurn([&] {
        for (int i = 0; i < 20; ++i) {
            channel.send(std::string(99, 'x'));
        }
    });
    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
    EXPECT_EQ(link.peer.receive(1), hello);
    EXPECT_EQ(receiveText(2000).text.size(), 2000U);
}

TEST_F(ByteFilterTest, SendPacketFromElsewhereIsRefused) {
    support::PacketChannel& channel = add();
    EXPECT_THROW(channel.send("x"), nio::WrongThreadError);
    EXPECT_EQ(channel.pendingBytes(), 0U);
}

}  // namespace
