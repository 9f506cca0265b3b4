// The orderly end: exact prefixes, FIN and no reset, all within one deadline, and a true report.
#include "scenarios/Scenario.h"

#include <algorithm>

#include <nio/loop/SelectorThread.h>

namespace {

SCENARIOS(DrainScenario);

using std::chrono::milliseconds;

nio::DrainOptions drainOf(milliseconds deadline) {
    nio::DrainOptions options;
    options.deadline = deadline;
    options.quietPeriod = milliseconds(20);
    return options;
}

constexpr milliseconds generous{60'000};

bool startsWith(const std::string& whole, const std::string& prefix) {
    return whole.compare(0, prefix.size(), prefix) == 0;
}

TEST_P(DrainScenario, InMidStreamEveryClientSeesAnExactPrefixAndThenFin) {
    listener->echo();
    serve();
    const std::string lines = numberedLines(400'000);
    for (int i = 0; i < 6; ++i) server().connectAndWait().send(lines);
    ASSERT_TRUE(server().until([&] { return listener->packets > 5'000; }));

    server().group().requestClose(drainOf(generous));
    ASSERT_TRUE(server().until([&] {
        for (auto& client : server().clients()) {
            if (client->hasEnded()) client->close();
        }
        return server().hasStopped();
    }));
    std::size_t answered = 0;
    for (auto& client : server().clients()) {
        client->pump();
        EXPECT_EQ(client->end(), End::finished);
        EXPECT_TRUE(startsWith(lines, client->received()));
        EXPECT_EQ(client->received().back(), '\n');
        EXPECT_LT(client->received().size(), lines.size()) << "not in mid-stream";
        answered += static_cast<std::size_t>(
            std::count(client->received().begin(), client->received().end(), '\n'));
    }
    EXPECT_EQ(answered, listener->packets) << "every packet that was delivered was answered";
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.drained, 6U) << report.toString();
    EXPECT_EQ(report.aborted, 0U);
    EXPECT_EQ(report.bytesLost, 0U);
}

TEST_P(DrainScenario, AQuietConnectionEndsAfterTheQuietPeriod) {
    listener->echo();
    serve();
    support::TestClient& client = server().connectAndWait();
    client.send("hello\n");
    ASSERT_TRUE(server().until([&] { return client.hasReceived("hello\n"); }));
    server().group().requestClose(drainOf(generous));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::finished);
    client.close();
    ASSERT_TRUE(server().untilStopped());
    EXPECT_EQ(server().group().drainReport().toString(),
              "1 connections drained, 0 aborted, 0 bytes lost");
}

TEST_P(DrainScenario, WhatWasSentBeforeTheDrainIsStillAnswered) {
    listener->echo();
    serve();
    support::TestClient& client = server().connectAndWait();
    client.send("under way\n");
    client.pump();  // it is in the server's socket now, unread
    server().group().requestClose(drainOf(generous));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "under way\n");
    EXPECT_EQ(client.end(), End::finished);
}

TEST_P(DrainScenario, ConnectionsStillInTheBacklogAreServed) {
    listener->echo();
    serve();
    server().turn();
    for (int i = 0; i < 20; ++i) {
        support::TestClient& client = server().connect();
        client.send("hello\n");
        client.pump();
    }
    ASSERT_EQ(listener->opened, 0U) << "no turn was made since they connected";
    server().group().requestClose(drainOf(generous));
    ASSERT_TRUE(server().until([&] {
        for (auto& client : server().clients()) {
            if (client->hasEnded()) client->close();
        }
        return server().hasStopped();
    }));
    for (auto& client : server().clients()) {
        EXPECT_EQ(client->received(), "hello\n");
        EXPECT_EQ(client->end(), End::finished);
    }
    EXPECT_EQ(server().group().drainReport().drained, 20U);
}

TEST_P(DrainScenario, ThereIsNoListenerAnyMore) {
    serve();
    server().connectAndWait();
    server().group().requestClose(drainOf(generous));
    for (int i = 0; i < 3; ++i) server().turn();
    EXPECT_THROW(server().connect(), std::system_error);
}

TEST_P(DrainScenario, TheDeadlineAbortsAndReportsTheBytesLost) {
    setup.sendBufferBytes = 8 * 1024;
    std::size_t pending = 0;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        for (int i = 0; i < 10; ++i) {
            channel.send(std::string(50'000, 'x'));
        }
    };
    listener->onException = [&](support::PacketChannel& channel, const nio::Error&) {
        pending = channel.pendingBytes();
    };
    serve();
    support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    server().group().requestClose(drainOf(milliseconds(60)));
    ASSERT_TRUE(server().untilStopped());
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.aborted, 1U);
    EXPECT_EQ(report.drained, 0U);
    EXPECT_GT(pending, 100'000U);
    EXPECT_EQ(report.bytesLost, pending);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::cancelled));
    client.goOnReading();
    client.pump();
    EXPECT_EQ(client.end(), End::reset);
}

// Below the high mark it once had a quarter of it, and was reset.
TEST_P(DrainScenario, APeerThatIsSlowToTakeItsAnswersHasAllOfTheDeadline) {
    setup.sendBufferBytes = 8 * 1024;
    setup.stream.outputHighMark = 8 * 1024 * 1024;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.send(std::string(1'000'000, 'x'));
    };
    serve([] { return std::make_unique<nio::LineDecoder>(2'000'000); });
    support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    server().group().requestClose(drainOf(milliseconds(200)));
    ASSERT_TRUE(server().untilStopped());
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.aborted, 1U) << report.toString();
    EXPECT_EQ(report.drained, 0U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::cancelled)) << listener->reason()->message();
}

// It once counted as drained.
TEST_P(DrainScenario, APeerThatLeavesBeforeItsAnswersIsCutOffNotDrained) {
    setup.sendBufferBytes = 8 * 1024;
    setup.stream.outputHighMark = 8 * 1024 * 1024;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.send(std::string(1'000'000, 'x'));
    };
    serve([] { return std::make_unique<nio::LineDecoder>(2'000'000); });
    support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    server().group().requestClose(drainOf(std::chrono::hours(1)));
    server().turn();
    client.reset();
    ASSERT_TRUE(server().untilStopped());
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.cutOff, 1U) << report.toString();
    EXPECT_EQ(report.drained, 0U);
    EXPECT_EQ(report.aborted, 0U);
    EXPECT_GT(report.bytesLost, 100'000U);
}

TEST_P(DrainScenario, ASecondRequestShortensTheFirst) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();  // an answer that never comes
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    server().group().requestClose(drainOf(std::chrono::hours(1)));
    const nio::TimePoint later = nio::Clock::now() + milliseconds(60);
    while (nio::Clock::now() < later) server().turn();
    EXPECT_FALSE(server().hasStopped()) << "a paused connection is not quiet";
    server().group().requestClose(drainOf(milliseconds(0)));
    ASSERT_TRUE(server().untilStopped());
    EXPECT_EQ(server().group().drainReport().aborted, 1U);
}

TEST_P(DrainScenario, ALaterDeadlineDoesNotLengthenAnEarlierOne) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();
    };
    serve();
    server().connect().send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    server().group().requestClose(drainOf(milliseconds(30)));
    server().group().requestClose(drainOf(std::chrono::hours(1)));
    EXPECT_TRUE(server().untilStopped());
}

TEST_P(DrainScenario, APausedConnectionMayAnswerWithinTheDrain) {
    nio::ChannelHandle handle;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();
        handle = channel.dispatcher().handleOf(channel.channel());
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    server().group().requestClose(drainOf(generous));
    const nio::TimePoint later = nio::Clock::now() + milliseconds(50);
    while (nio::Clock::now() < later) server().turn();
    ASSERT_TRUE(handle.dispatcher()->invokeLater(handle, [](nio::SelectorHandler& handler) {
        auto& channel = static_cast<support::PacketChannel&>(handler);
        channel.send("answer");
        channel.resumeReading();
    }));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "answer\n");
    EXPECT_EQ(client.end(), End::finished);
}

TEST_P(DrainScenario, AFloodOfTinyPacketsEndsByTheReadBudget) {
    setup.stream.maxPacketsPerTurn = 8;
    listener->echo();
    serve();
    support::TestClient& client = server().connectAndWait();
    client.send(std::string(8'000'000, '\n'));
    ASSERT_TRUE(server().until([&] { return listener->packets > 0; }));
    nio::DrainOptions options = drainOf(generous);
    options.readBudgetBytes = 10'000;
    options.quietPeriod = milliseconds(2);
    const std::size_t before = client.sentBytes();
    server().group().requestClose(options);
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::finished);
    EXPECT_EQ(client.received().size(), listener->packets);
    // What was read already, the budget, and one read more than it.
    EXPECT_LE(listener->packets, before + 10'000 + setup.thread.selector.receiveBufferBytes);
    client.close();
    ASSERT_TRUE(server().untilStopped());
    EXPECT_EQ(server().group().drainReport().drained, 1U);
    EXPECT_EQ(server().group().drainReport().bytesLost, 0U);
}

TEST_P(DrainScenario, AQuietPeriodOfZeroDoesNotSpinOnAPausedConnection) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();
    };
    serve();
    server().connect().send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    nio::DrainOptions options = drainOf(milliseconds(100));
    options.quietPeriod = milliseconds(0);
    server().group().requestClose(options);
    for (int i = 0; i < 5; ++i) server().turn();
    int turns = 0;
    for (std::size_t i = 0; i < server().group().size(); ++i) {
        while (server().dispatcher(i).turn(milliseconds(100))) ++turns;
    }
    EXPECT_LE(turns, 50);
    EXPECT_EQ(server().group().drainReport().aborted, 1U);
}

TEST_P(DrainScenario, UnreadBytesAreReportedApart) {
    listener->echo();
    serve();
    support::TestClient& client = server().connectAndWait();
    client.send("whole\nhalf");
    ASSERT_TRUE(server().until([&] { return client.hasReceived("whole\n"); }));
    server().group().requestClose(drainOf(generous));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    client.close();
    ASSERT_TRUE(server().untilStopped());
    EXPECT_EQ(server().group().drainReport().bytesUnread, 4U);
    EXPECT_EQ(server().group().drainReport().bytesLost, 0U);
}

TEST_P(DrainScenario, ARequestAfterTheEndIsHarmless) {
    serve();
    server().group().requestClose(drainOf(generous));
    ASSERT_TRUE(server().untilStopped());
    EXPECT_NO_THROW(server().group().requestClose(drainOf(milliseconds(0))));
}

}  // namespace
