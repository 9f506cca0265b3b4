// What a relay does with the bytes of two connections.
#include <nio/connection/Pipe.h>

#include <nio/memory/MemoryBudget.h>

#include "PipeCase.h"

namespace {

using namespace pipetest;

class PipeTest : public PipeCase {};

TEST_P(PipeTest, WhatOneSendsTheOtherReceives) {
    begin();
    a.peer.send("to b");
    b.peer.send("to a");
    EXPECT_TRUE(until([&] { return a.peer.hasReceived("to a") && b.peer.hasReceived("to b"); }));
}

// Both send all before they read, one after the other: neither waits for the other.
TEST_P(PipeTest, PeersThatSendBeforeTheyReadDoNotBlock) {
    begin();
    const std::string toB = noise(4 * MiB, 1);
    const std::string toA = noise(4 * MiB, 2);
    a.peer.send(toB);
    b.peer.send(toA);
    a.peer.stopReading();
    b.peer.stopReading();
    untilStuck();
    ASSERT_NE(a.channel, nullptr);
    ASSERT_NE(b.channel, nullptr);
    EXPECT_GT(a.channel->pendingBytes(), 64 * KiB);
    EXPECT_LT(a.channel->pendingBytes(), 256 * KiB);
    EXPECT_LT(b.channel->pendingBytes(), 256 * KiB);
    EXPECT_GT(b.peer.unsentBytes(), 0u);
    a.peer.goOnReading();
    ASSERT_TRUE(until([&] { return a.peer.received().size() == toA.size(); }));
    EXPECT_TRUE(a.peer.hasReceived(toA));
    EXPECT_GT(a.peer.unsentBytes(), 0u);
    b.peer.goOnReading();
    ASSERT_TRUE(until([&] { return b.peer.received().size() == toB.size(); }));
    EXPECT_TRUE(b.peer.hasReceived(toB));
}

TEST_P(PipeTest, AHalfCloseIsPassedOnBehindAllBytes) {
    for (const bool swapped : {false, true}) {
        SCOPED_TRACE(swapped);
        Side& first = swapped ? b : a;
        Side& second = swapped ? a : b;
        if (swapped) {
            a = Side();
            b = Side();
        }
        begin();
        const std::string request = noise(MiB, 3);
        const std::string answer = noise(MiB, 4);
        first.peer.send(request);
        first.peer.finish();
        ASSERT_TRUE(until([&] { return second.peer.end() == TestClient::End::finished; }));
        EXPECT_TRUE(second.peer.hasReceived(request));
        EXPECT_FALSE(first.peer.hasEnded());
        second.peer.send(answer);
        second.peer.finish();
        ASSERT_TRUE(until([&] { return first.peer.end() == TestClient::End::finished; }));
        EXPECT_TRUE(first.peer.hasReceived(answer));
        expectOrderly();
    }
}

// A reader that is slower than any linger time-out still gets all.
TEST_P(PipeTest, TheLastBytesWaitForASlowReader) {
    begin();
    const std::string bytes = noise(300 * KiB, 5);
    b.peer.stopReading();
    b.peer.finish();
    a.peer.send(bytes);
    a.peer.finish();
    untilStuck();
    const nio::TimePoint later = nio::Clock::after(std::chrono::milliseconds(500));
    ASSERT_TRUE(until([&] { return nio::Clock::now() >= later; }));
    b.peer.goOnReading();
    ASSERT_TRUE(until([&] { return b.peer.hasEnded(); }));
    EXPECT_EQ(b.peer.end(), TestClient::End::finished);
    EXPECT_TRUE(b.peer.hasReceived(bytes));
    expectOrderly();
}

TEST_P(PipeTest, AResetOfEitherResetsTheOther) {
    for (const bool swapped : {false, true}) {
        SCOPED_TRACE(swapped);
        Side& first = swapped ? b : a;
        Side& second = swapped ? a : b;
        if (swapped) {
            a = Side();
            b = Side();
        }
        begin();
        first.peer.send("x");
        ASSERT_TRUE(until([&] { return second.peer.hasReceived("x"); }));
        first.peer.reset();
        ASSERT_TRUE(until([&] { return second.peer.hasEnded(); }));
        EXPECT_EQ(second.peer.end(), TestClient::End::reset);
        ASSERT_TRUE(bothHaveEnded());
        EXPECT_EQ(first.listener->failed, 1u);
        EXPECT_EQ(second.listener->failed, 1u);
        EXPECT_EQ(first.listener->disconnected + second.listener->disconnected, 0u);
    }
}

// --- how the two were before ----------------------------------------------------------------

TEST_P(PipeTest, BytesThatNoPacketWasMadeOfComeFirst) {
    a.framing = nio::lines();
    registerBoth();
    a.peer.send("half a line");
    ASSERT_TRUE(
        until([&] { return a.peer.unsentBytes() == 0 && a.channel->remains().unreadBytes == 11; }));
    pipeThem();
    a.peer.send(" and more\n");
    EXPECT_TRUE(until([&] { return b.peer.hasReceived("half a line and more"); }));
    EXPECT_EQ(a.listener->packets, 0u);
}

// Each side has its own framing.
TEST_P(PipeTest, PacketsAreSentInTheOthersFraming) {
    a.framing = nio::lines();
    b.framing = nio::stxEtx();
    begin();
    a.peer.send("one\ntwo\n");
    b.peer.send("\x02three\x03");
    EXPECT_TRUE(until([&] {
        return b.peer.hasReceived("\x02one\x03\x02two\x03") && a.peer.hasReceived("three\n");
    }));
}

TEST_P(PipeTest, InsideAPacketWhatFollowsItIsRelayed) {
    a.framing = nio::lines();
    registerBoth();
    std::string line;
    a.listener->onPacket = [&](PacketChannel& channel, std::string_view packet) {
        nio::onDispatcher.assertCurrent();
        nio::pipe(channel, *b.channel).orThrow();
        line = packet;
    };
    a.peer.send("CONNECT\nfirst\nsecond\n");
    EXPECT_TRUE(until([&] { return b.peer.hasReceived("firstsecond"); }));
    EXPECT_EQ(line, "CONNECT");
    EXPECT_EQ(a.listener->packets, 1u);
}

TEST_P(PipeTest, APausedConnectionIsReadAndItsPacketsAreRelayed) {
    a.framing = nio::lines();
    registerBoth();
    a.listener->onPacket = [](PacketChannel& channel, std::string_view) {
        nio::onDispatcher.assertCurrent();
        channel.pauseReading();
    };
    a.peer.send("one\ntwo\nthree\n");
    ASSERT_TRUE(until([&] { return a.listener->packets == 1u; }));
    now([&] { b.channel->pauseReading(); });
    pipeThem();
    b.peer.send("answer");
    EXPECT_TRUE(
        until([&] { return b.peer.hasReceived("twothree") && a.peer.hasReceived("answer\n"); }));
}

TEST_P(PipeTest, PendingOutputGoesFirstAndHoldsUpTheOther) {
    registerBoth();
    b.peer.stopReading();
    const std::string before = noise(512 * KiB, 6);
    now([&] { b.channel->send(before); });
    pipeThem();
    const std::string bytes = noise(MiB, 7);
    a.peer.send(bytes);
    untilStuck();
    EXPECT_LT(b.channel->pendingBytes(), before.size() + 100 * KiB);
    b.peer.goOnReading();
    EXPECT_TRUE(until([&] { return b.peer.hasReceived(before + bytes); }));
}

TEST_P(PipeTest, AFinThatHasComeBeforeIsPassedOn) {
    registerBoth();
    bool finished = false;
    a.listener->onFinished = [&](PacketChannel&) { finished = true; };
    a.peer.finish();
    ASSERT_TRUE(until([&] { return finished; }));
    pipeThem();
    ASSERT_TRUE(until([&] { return b.peer.hasEnded(); }));
    b.peer.send("answer");
    b.peer.finish();
    EXPECT_TRUE(until([&] { return a.peer.hasReceived("answer") && a.peer.hasEnded(); }));
    expectOrderly();
}

// One turn finds both what begins the relay and, behind it, the FIN: what was kept goes first.
// Which of the two connections a turn comes to first is the engine's choice.
TEST_P(PipeTest, AFinInTheTurnThatBeginsComesLast) {
    for (const bool swapped : {false, true}) {
        SCOPED_TRACE(swapped);
        a = Side();
        b = Side();
        Side& source = swapped ? b : a;
        Side& other = swapped ? a : b;
        source.framing = nio::lines();
        registerBoth();
        source.listener->onPacket = [](PacketChannel& channel, std::string_view) {
            nio::onDispatcher.assertCurrent();
            channel.pauseReading();
        };
        source.peer.send("one\ntwo\n");
        ASSERT_TRUE(until([&] { return source.channel->remains().unreadBytes == 4; }));
        other.listener->onPacket = [&](PacketChannel&, std::string_view) {
            nio::onDispatcher.assertCurrent();
            nio::pipe(*a.channel, *b.channel).orThrow();
        };
        other.peer.send("begin");
        other.peer.pump();
        source.peer.finish();
        source.peer.pump();
        ASSERT_TRUE(until([&] { return other.peer.hasEnded(); }));
        EXPECT_TRUE(other.peer.hasReceived("two"));
        other.peer.finish();
        ASSERT_TRUE(bothHaveEnded());
    }
}

// The FIN has come, what was sent before is kept and waits for the other, which finishes, too.
TEST_P(PipeTest, AKeptPacketThatASlowReaderHoldsUpIsNotLost) {
    a.framing = nio::lines();
    registerBoth();
    a.listener->onPacket = [&](PacketChannel& channel, std::string_view) {
        nio::onDispatcher.assertCurrent();
        channel.pauseReading();
        nio::pipe(*a.channel, *b.channel).orThrow();
    };
    b.peer.stopReading();
    const std::string before = noise(512 * KiB, 8);
    now([&] { b.channel->send(before); });
    untilStuck();
    a.peer.send("one\ntwo\n");
    a.peer.finish();
    untilStuck();
    b.peer.finish();
    untilStuck();
    b.peer.goOnReading();
    ASSERT_TRUE(until([&] { return b.peer.hasEnded(); }));
    EXPECT_TRUE(b.peer.hasReceived(before + "two"));
    ASSERT_TRUE(bothHaveEnded());
    EXPECT_EQ(a.listener->disconnected + b.listener->disconnected, 2u);
}

// --- memory

TEST_P(PipeTest, ShortMemoryPausesTheSourceAndNothingIsLost) {
    nio::MemoryBudgetOptions limits;
    limits.bytes = MiB;
    limits.pauseAt = 0.05;
    nio::SelectorThreadOptions options = threadOptions();
    options.memoryBudget = std::make_shared<nio::MemoryBudget>(limits);
    nio::SelectorThread poor(std::move(options));
    for (Side* side : {&a, &b}) {
        ASSERT_TRUE(poor.registerChannelLater(side->makeHandler({}), Interest::read));
    }
    ASSERT_TRUE(poor.invokeLater([&] { nio::pipe(*a.channel, *b.channel).orThrow(); }));
    const std::string toB = noise(2 * MiB, 11);
    const std::string toA = noise(2 * MiB, 12);
    a.peer.send(toB);
    b.peer.send(toA);
    b.peer.stopReading();
    const auto pumped = [&](const std::function<bool()>& condition) {
        return support::pumpUntil({&a.peer, &b.peer}, [&] {
            poor.turn(std::chrono::nanoseconds::zero());
            return condition();
        });
    };
    ASSERT_TRUE(pumped([&] { return a.peer.hasReceived(toA); }));
    b.peer.goOnReading();
    EXPECT_TRUE(pumped([&] { return b.peer.hasReceived(toB); }));
}

INSTANTIATE_TEST_SUITE_P(On, PipeTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
