// Many connections, every framing: what comes back is what was sent, and everybody is served.
#include "scenarios/Scenario.h"

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>

namespace {

constexpr std::size_t echoConnections = 40;

std::string framed(const nio::ProtocolDecoder& framing, const std::string& packet) {
    struct Sink final : nio::ByteSink {
        std::string text;
        void append(nio::ByteView bytes) override { text.append(nio::asText(bytes)); }
    } sink;
    framing.encode(nio::asBytes(packet), sink).orThrow();
    return sink.text;
}

// Packets of many sizes, each different, for the connection of that number.
std::string conversation(const nio::ProtocolDecoder& framing, std::size_t number) {
    std::string all;
    for (std::size_t i = 0; i < 60; ++i) {
        const std::string packet = std::to_string(number) + ":" + std::to_string(i) +
                                   std::string((number * 131 + i * 977) % 3000, 'x');
        all += framed(framing, packet);
    }
    return all;
}

SCENARIOS(EchoScenario);

void echoOnManyConnections(support::TestServer& server, const nio::ProtocolDecoder& framing) {
    for (std::size_t i = 0; i < echoConnections; ++i)
        server.connect().send(conversation(framing, i));
    for (std::size_t i = 0; i < echoConnections; ++i) {
        const std::string expected = conversation(framing, i);
        support::TestClient& client = *server.clients()[i];
        ASSERT_TRUE(server.until(
            [&] { return client.received().size() >= expected.size() || client.hasEnded(); }));
        ASSERT_EQ(client.received(), expected) << "connection " << i;
    }
}

TEST_P(EchoScenario, LinesComeBackOnManyConnections) {
    listener->echo();
    echoOnManyConnections(serve(), nio::LineDecoder());
    EXPECT_EQ(listener->packets, echoConnections * 60);
}

TEST_P(EchoScenario, StxEtxPacketsComeBackOnManyConnections) {
    listener->echo();
    echoOnManyConnections(serve([] { return std::make_unique<nio::StxEtxDecoder>(); }),
                          nio::StxEtxDecoder());
    EXPECT_EQ(listener->packets, echoConnections * 60);
}

TEST_P(EchoScenario, LengthFieldPacketsComeBackOnManyConnections) {
    listener->echo();
    echoOnManyConnections(serve([] { return std::make_unique<nio::LengthFieldDecoder>(); }),
                          nio::LengthFieldDecoder());
    EXPECT_EQ(listener->packets, echoConnections * 60);
}

TEST_P(EchoScenario, RawBytesComeBackOnManyConnections) {
    listener->echo();
    echoOnManyConnections(serve([] { return std::make_unique<nio::RawDecoder>(); }),
                          nio::RawDecoder());
}

TEST_P(EchoScenario, DispatchersWithThreadsOfTheirOwnServeTheSame) {
    listener->echo();
    setup.ownThreads = true;
    echoOnManyConnections(serve(), nio::LineDecoder());
    EXPECT_EQ(listener->packets, echoConnections * 60);
    for (auto& client : server().clients()) client->finish();
    EXPECT_TRUE(server().until([&] { return listener->ended() == echoConnections; }));
    EXPECT_EQ(listener->disconnected, echoConnections);
}

TEST_P(EchoScenario, AFloodOfShortConnectionsLeavesNothingBehind) {
    listener->echo();
    serve();
    constexpr std::size_t rounds = 5;
    constexpr std::size_t each = 60;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < each; ++i) {
            support::TestClient& client = server().connect();
            client.send("hello\n");
            if (i % 3 == 0) client.reset();
            if (i % 3 == 1) client.finish();
        }
        ASSERT_TRUE(server().until([&] {
            for (auto& client : server().clients()) {
                if (client->isOpen() && !client->hasReceived("hello\n")) return false;
            }
            return true;
        }));
        for (auto& client : server().clients()) client->close();
        server().clients().clear();
    }
    EXPECT_TRUE(server().until([&] {
        return server().group().connectionCount() == 0 &&
               server().acceptor().openConnections() == 0;
    }));
    EXPECT_EQ(listener->opened, listener->ended());
    EXPECT_TRUE(server().comesToRest());
    EXPECT_TRUE(server().failures().empty());
}

TEST_P(EchoScenario, AStormOfConnectionsIsDealtOutExactlyEvenly) {
    listener->echo();
    serve();
    const std::size_t share = 30;
    const std::size_t all = share * server().group().size();
    for (std::size_t i = 0; i < all; ++i) server().connect();
    ASSERT_TRUE(server().until([&] { return listener->opened == all; }));
    for (std::size_t i = 0; i < server().group().size(); ++i) {
        EXPECT_EQ(server().dispatcher(i).connectionCount(), share) << i;
    }
}

}  // namespace
