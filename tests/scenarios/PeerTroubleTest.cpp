// Peers and handlers that misbehave: they end, the others go on, and nothing spins.
#include "scenarios/Scenario.h"

#include <nio/codec/LengthFieldDecoder.h>

namespace {

SCENARIOS(PeerTroubleScenario);

// A connection that shows that the server still serves.
::testing::AssertionResult stillServes(support::TestServer& server) {
    support::TestClient& witness = server.connect();
    witness.send("still there?\n");
    const bool served =
        server.until([&] { return witness.hasReceived("still there?\n") || witness.hasEnded(); });
    const bool right = served && witness.hasReceived("still there?\n");
    witness.close();
    return right ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
}

TEST_P(PeerTroubleScenario, APeerThatResetsInMidWriteEndsAndHarmsNobody) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        const std::size_t answer = packet == "much" ? 60'000 : packet.size();
        const int times = packet == "much" ? 100 : 1;
        const std::string text = packet == "much" ? std::string(answer, 'x') : std::string(packet);
        for (int i = 0; i < times; ++i) channel.send(text);
    };
    std::size_t pending = 0;
    listener->onException = [&](support::PacketChannel& channel, const nio::Error&) {
        pending = channel.pendingBytes();
    };
    setup.sendBufferBytes = 16 * 1024;
    serve();
    support::TestClient& quiet = server().connectAndWait();
    support::TestClient& greedy = server().connect({.receiveBufferBytes = 8 * 1024});
    greedy.stopReading();
    greedy.send("much\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    ASSERT_TRUE(server().comesToRest());

    greedy.reset();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_GT(pending, 0U) << "the reset came too late to test anything";
    EXPECT_TRUE(listener->reason()->is(std::errc::connection_reset) ||
                listener->reason()->is(std::errc::broken_pipe));
    EXPECT_TRUE(server().comesToRest());
    quiet.send("hello\n");
    EXPECT_TRUE(server().until([&] { return quiet.hasReceived("hello\n"); }));
    EXPECT_EQ(listener->ended(), 1U);
    EXPECT_TRUE(server().failures().empty());
}

TEST_P(PeerTroubleScenario, AResetIsReportedOnceAlsoWhileReadingIsPaused) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();
    };
    nio::ChannelHandle handle;
    listener->onOpened = [&](support::PacketChannel& channel) {
        handle = channel.dispatcher().handleOf(channel.channel());
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("wait\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    client.reset();
    EXPECT_TRUE(server().comesToRest()) << "a hang-up that nobody waits for must not spin";

    ASSERT_TRUE(handle.dispatcher()->invokeLater(handle, [](nio::SelectorHandler& handler) {
        static_cast<support::PacketChannel&>(handler).resumeReading();
    }));
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(server().comesToRest());
}

TEST_P(PeerTroubleScenario, ACloseInMidPacketReportsTheUnreadBytes) {
    std::size_t unread = 0;
    listener->onDisconnected = [&](support::PacketChannel& channel) {
        unread = channel.remains().unreadBytes;
    };
    serve([] { return std::make_unique<nio::LengthFieldDecoder>(); });
    support::TestClient& client = server().connect();
    client.send(
        std::string("\0\0\0\x64"
                    "only this",
                    13));
    client.finish();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1 && client.hasEnded(); }));
    EXPECT_EQ(listener->packets, 0U);
    EXPECT_EQ(listener->finished, 1U);
    EXPECT_EQ(listener->disconnected, 1U);
    EXPECT_EQ(unread, 13U);
    EXPECT_EQ(client.end(), End::finished);
}

TEST_P(PeerTroubleScenario, AnOversizedPacketClosesWithTheReason) {
    listener->echo();
    serve([] { return std::make_unique<nio::LineDecoder>(100); });
    support::TestClient& client = server().connect();
    client.send("good\n" + std::string(101, 'x'));
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received(), "good\n") << "what was answered before is still sent";
    EXPECT_EQ(client.end(), End::finished);
    client.close();
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::packetTooLong)) << listener->reason()->message();
    EXPECT_TRUE(stillServes(server()));
}

TEST_P(PeerTroubleScenario, AnExceptionFromAnyCallbackEndsThatConnectionAlone) {
    const std::vector<std::string> callbacks{"opened", "packet", "sent", "finished",
                                             "disconnected"};
    for (const std::string& thrower : callbacks) {
        SCOPED_TRACE(thrower);
        listener->echo();
        const auto mayThrow = [&](const std::string& callback) {
            return [&, callback](support::PacketChannel&) {
                if (callback == thrower) throw std::runtime_error("from " + callback);
            };
        };
        listener->onOpened = mayThrow("opened");
        listener->onSent = mayThrow("sent");
        listener->onDisconnected = mayThrow("disconnected");
        listener->onFinished = [&](support::PacketChannel& channel) {
            mayThrow("finished")(channel);
            channel.closeAfterFlush();
        };
        if (thrower == "packet") {
            listener->onPacket = [](support::PacketChannel&, std::string_view) {
                throw std::runtime_error("from packet");
            };
        }
        serve();
        support::TestClient& client = server().connect();
        client.send("hello\n");
        client.finish();
        ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
        ASSERT_EQ(server().failures().size(), 1U);
        EXPECT_EQ(server().failures()[0].what(), "from " + thrower);
        EXPECT_NE(server().failures()[0].handler.find("Pipeline"), std::string::npos);
        EXPECT_EQ(server().group().connectionCount(), 0U);

        listener->onOpened = listener->onSent = listener->onDisconnected = nullptr;
        listener->onFinished = nullptr;
        listener->echo();
        EXPECT_TRUE(stillServes(server()));
    }
}

TEST_P(PeerTroubleScenario, AnExceptionFromSocketExceptionIsReportedToo) {
    listener->onException = [](support::PacketChannel&, const nio::Error&) {
        throw std::runtime_error("again");
    };
    listener->onPacket = [](support::PacketChannel&, std::string_view) {
        throw std::runtime_error("first");
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("hello\n");
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    ASSERT_EQ(server().failures().size(), 2U);
    EXPECT_EQ(server().failures()[0].what(), "first");
    EXPECT_EQ(server().failures()[1].what(), "again");
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::handlerFailed));
    listener->echo();
    EXPECT_TRUE(stillServes(server()));
}

TEST_P(PeerTroubleScenario, AHundredThrowersDoNotStopTheQuietOne) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        if (packet == "throw") throw 42;
        channel.send(packet);
    };
    serve();
    support::TestClient& quiet = server().connectAndWait();
    for (int i = 0; i < 100; ++i) server().connect().send("throw\n");
    quiet.send("hello\n");
    ASSERT_TRUE(server().until([&] { return listener->failed == 100; }));
    EXPECT_TRUE(server().until([&] { return quiet.hasReceived("hello\n"); }));
    EXPECT_EQ(server().failures().size(), 100U);
    EXPECT_EQ(server().group().connectionCount(), 1U);
}

}  // namespace
