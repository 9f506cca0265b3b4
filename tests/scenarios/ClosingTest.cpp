// Half-close in both directions, closeAfterFlush, the linger and idle time-outs.
#include "scenarios/Scenario.h"

#include <nio/loop/SelectorThread.h>

namespace {

SCENARIOS(ClosingScenario);

using std::chrono::milliseconds;

TEST_P(ClosingScenario, AfterThePeersFinTheAnswersStillLeave) {
    listener->onFinished = [](support::PacketChannel& channel) {
        channel.send("late answer");
        channel.closeAfterFlush();
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("question\n");
    client.finish();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "late answer\n");
    EXPECT_EQ(client.end(), End::finished);
    EXPECT_EQ(listener->finished, 1U);
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_P(ClosingScenario, AHalfClosedPeerCostsNothingUntilItIsAnswered) {
    nio::ChannelHandle handle;
    listener->onFinished = [&](support::PacketChannel& channel) {
        handle = channel.dispatcher().handleOf(channel.channel());
    };
    serve();
    support::TestClient& client = server().connect();
    client.finish();
    ASSERT_TRUE(server().until([&] { return listener->finished == 1; }));
    EXPECT_TRUE(server().comesToRest());
    EXPECT_EQ(listener->finished, 1U);
    EXPECT_EQ(listener->ended(), 0U);

    ASSERT_TRUE(handle.dispatcher()->invokeLater(handle, [](nio::SelectorHandler& handler) {
        auto& channel = static_cast<support::PacketChannel&>(handler);
        channel.send("at last");
        channel.closeAfterFlush();
    }));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "at last\n");
    EXPECT_EQ(client.end(), End::finished);
}

TEST_P(ClosingScenario, AfterShutdownWriteThePeerIsStillRead) {
    std::string arrived;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        arrived += packet;
        if (packet != "first") return;
        channel.send("goodbye");
        channel.shutdownWrite();
        channel.send("too late");
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("first\n");
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "goodbye\n");
    EXPECT_EQ(client.end(), End::finished);
    EXPECT_EQ(listener->ended(), 0U);
    client.send("second\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 2; }));
    EXPECT_EQ(arrived, "firstsecond");
    client.finish();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    EXPECT_EQ(listener->disconnected, 1U);
    EXPECT_TRUE(server().comesToRest());
}

TEST_P(ClosingScenario, ABigAnswerArrivesWholeThoughInputWasLeftUnread) {
    const std::string answer(4'000'000, 'a');
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        for (int i = 0; i < 80; ++i) {
            channel.send(std::string_view(answer).substr(0, 50'000));
        }
        channel.closeAfterFlush();
    };
    setup.sendBufferBytes = 16 * 1024;
    serve();
    support::TestClient& client = server().connect({.receiveBufferBytes = 16 * 1024});
    // So much that some of it is always there, unread.
    client.send("question\n" + std::string(50'000'000, 'u'));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::finished) << "a reset destroys answers under way";
    EXPECT_EQ(client.received().size(), 80U * 50'001U);
    EXPECT_EQ(listener->packets, 1U);
    client.close();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
}

TEST_P(ClosingScenario, APeerThatDoesNotCloseIsReset) {
    setup.stream.lingerTimeout = milliseconds(20);
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        channel.send(packet);
        channel.closeAfterFlush();
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("hello\n");
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "hello\n");
    const nio::TimePoint seen = nio::Clock::now();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    EXPECT_EQ(listener->disconnected, 1U);
    EXPECT_LT(nio::Clock::now() - seen, std::chrono::seconds(10));
}

TEST_P(ClosingScenario, APeerThatTakesNothingIsResetByTheLingerTimeOut) {
    setup.stream.lingerTimeout = milliseconds(50);
    support::TestClient& client = askAndTakeNothing();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::timedOut));
    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::reset);
}

TEST_P(ClosingScenario, ALingerTimeOutForEverIsNotOverAtOnce) {
    setup.stream.lingerTimeout = setup.stream.lingerLimit = milliseconds::max();
    support::TestClient& client = askAndTakeNothing();
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    EXPECT_TRUE(server().comesToRest());
    EXPECT_EQ(listener->ended(), 0U);
    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::finished);
    EXPECT_EQ(client.received().size(), 20U * 50'001U);
}

// A peer that trickles would hold it for ever.
TEST_P(ClosingScenario, ATricklingPeerIsResetAtTheLingerLimit) {
    setup.stream.lingerTimeout = std::chrono::hours(1);
    setup.stream.lingerLimit = milliseconds(50);
    support::TestClient& client = askAndTakeNothing();
    nio::Bytes piece(1);
    ASSERT_TRUE(server().until([&] {
        (void)nio::kernel::receive(client.fd(), piece);
        return listener->ended() == 1;
    }));
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::timedOut));
}

TEST_P(ClosingScenario, ASlowPeerIsClosedAtTheLingerLimit) {
    setup.stream.lingerTimeout = std::chrono::hours(1);
    setup.stream.lingerLimit = milliseconds(50);
    setup.sendBufferBytes = 200'000;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.send(std::string(60'000, 'x'));
        channel.closeAfterFlush();
    };
    serve([] { return std::make_unique<nio::LineDecoder>(200'000); });
    support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("question\n");
    nio::Bytes piece(1);
    ASSERT_TRUE(server().until([&] {
        (void)nio::kernel::receive(client.fd(), piece);
        return listener->ended() == 1;
    }));
    EXPECT_EQ(listener->disconnected, 1U);
}

// Not for every setting: it takes longer than the time-out, which must not be short.
TEST(LingerScenario, ASlowPeerIsWaitedForAsLongAsItTakesSomething) {
    constexpr milliseconds lingerTimeout{1500};
    const auto listener = std::make_shared<support::ScriptedListener>();
    listener->onPacket = scenarios::answerMuchAndClose;
    support::TestServer server(
        {.stream = {.lingerTimeout = lingerTimeout}, .sendBufferBytes = 8 * 1024}, listener);
    support::TestClient& client = server.connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("question\n");
    const nio::TimePoint begin = nio::Clock::now();
    // Slower than the time-out in all, much faster than it between two reads.
    while (!client.hasEnded() && nio::Clock::now() - begin < support::TestServer::patience) {
        const nio::TimePoint next = nio::Clock::now() + milliseconds(40);
        while (nio::Clock::now() < next) server.turn();
        client.goOnReading();
        client.pump();
        client.stopReading();
    }
    EXPECT_EQ(client.received().size(), 20U * 50'001U);
    EXPECT_EQ(client.end(), support::TestClient::End::finished);
    EXPECT_GT(nio::Clock::now() - begin, lingerTimeout) << "too quick to show anything";
    client.close();
    ASSERT_TRUE(server.until([&] { return listener->ended() == 1; }));
}

TEST_P(ClosingScenario, ASilentConnectionEndsByTheIdleTimeOut) {
    setup.stream.idleTimeout = milliseconds(60);
    listener->echo();
    serve();
    const nio::TimePoint begin = nio::Clock::now();
    support::TestClient& silent = server().connectAndWait();
    ASSERT_TRUE(server().until([&] { return silent.hasEnded(); }));
    EXPECT_GE(nio::Clock::now() - begin, milliseconds(60)) << "never earlier";
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::timedOut));
}

TEST_P(ClosingScenario, ATalkingConnectionOutlivesTheIdleTimeOut) {
    setup.stream.idleTimeout = milliseconds(500);
    listener->echo();
    serve();
    support::TestClient& talker = server().connectAndWait();
    support::TestClient& silent = server().connectAndWait();
    std::string sent;
    ASSERT_TRUE(server().until([&] {
        if (talker.received() == sent) {
            talker.send("tick\n");
            sent += "tick\n";
        }
        return silent.hasEnded() || talker.hasEnded();
    }));
    EXPECT_TRUE(silent.hasEnded());
    EXPECT_FALSE(talker.hasEnded());
}

TEST_P(ClosingScenario, AbortResetsAndTellsTheListenerOnce) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.send("never seen");
        channel.abort();
        channel.abort();
        channel.closeAfterFlush();
        channel.send("nor this");
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::reset);
    EXPECT_EQ(client.received(), "");
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::cancelled));
    EXPECT_EQ(listener->disconnected, 0U);
    EXPECT_TRUE(server().failures().empty());
}

}  // namespace
