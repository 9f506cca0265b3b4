// TLS over real sockets: pipelines on both sides, or a peer that the test moves by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <nio/codec/LengthFieldDecoder.h>

#include <nio-tls/Tls.h>

#include "nio-tls/Certificates.h"
#include "nio-tls/TlsPair.h"
#include "support/Engines.h"
#include "support/Hooked.h"
#include "support/TestDispatcher.h"

namespace {

using nio::TlsContext;
using nio::TlsSession;
using Application = support::Hooked<nio::TlsStage, nio::Framed<nio::LengthFieldDecoder>>;
using Peer = Application::Peer;
using Hooks = Application::Hooks;
using ::testing::HasSubstr;

const std::string host = "smsc.example.org";

std::string framed(const std::string& packet) {
    std::string length;
    for (int shift = 24; shift >= 0; shift -= 8) {
        length += static_cast<char>(packet.size() >> shift);
    }
    return length + packet;
}

class TlsConnectionTest : public ::testing::TestWithParam<nio::SelectorKind> {
  protected:
    Peer& add(nio::SocketChannel channel, nio::TlsStage stage,
              const std::shared_ptr<Hooks>& hooks) {
        const auto make =
            nio::pipeline(std::move(stage), nio::lengthPrefixed(), Application(hooks));
        return dispatcher.add(make(std::move(channel)), nio::Interest::read);
    }
    Peer& addServer(nio::SocketChannel channel) {
        return add(std::move(channel), nio::tls(serverContext), server);
    }
    Peer& addClient(nio::SocketChannel channel, const support::Authority& trusted,
                    const std::string& name) {
        const auto context = TlsContext::client({.authority = trusted.file()}).orThrow();
        return add(std::move(channel), nio::tls(context, name), client);
    }
    // The client's end first.
    static std::pair<nio::SocketChannel, nio::SocketChannel> sockets() {
        nio::kerneltest::ConnectedPair pair(nio::SocketAddress::Family::ipv4);
        return {nio::SocketChannel(std::move(pair.client)),
                nio::SocketChannel(std::move(pair.server))};
    }
    // A client made by hand: a socket and a session.
    support::TlsSide handMade() const {
        const auto context = TlsContext::client({.authority = authority.file()}).orThrow();
        support::TlsSide side{std::make_unique<TlsSession>(*context, host)};
        side.begin();
        return side;
    }
    // Says what it has to say, `piece` bytes at a time, and takes what comes, until `done`.
    template <class Done>
    bool converse(support::TlsSide& side, support::Peer& peer, std::size_t piece, Done done) {
        return dispatcher.turnUntil([&] {
            for (int i = 0; i < 50; ++i) {
                peer.send(side.say(piece));
                dispatcher.turn();
            }
            side.take(peer.receiveWhatIsThere());
            return done();
        });
    }
    static nio::SelectorThreadOptions selector() {
        nio::SelectorThreadOptions options;
        options.selector.kind = GetParam();
        return options;
    }
    bool turnUntilBothEnded() {
        return dispatcher.turnUntil([&] { return client->closed == 1 && server->closed == 1; });
    }

    support::Authority authority{"authority"};
    const std::shared_ptr<const TlsContext> serverContext =
        TlsContext::server(authority.issue("server")).orThrow();
    const std::shared_ptr<Hooks> client = std::make_shared<Hooks>();
    const std::shared_ptr<Hooks> server = std::make_shared<Hooks>();
    support::TestDispatcher dispatcher{"test", selector()};
};

INSTANTIATE_TEST_SUITE_P(Selectors, TlsConnectionTest, ::testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(TlsConnectionTest, AHalfCloseBeforeTheHandshakeGetsTheAnswer) {
    std::string atClient;
    client->onOpened = [](Peer& channel) { channel.shutdownWrite(); };
    client->onPacket = [&](Peer&, std::string_view packet) { atClient = packet; };
    server->onFinished = [](Peer& channel) {
        channel.send("greeting");
        channel.closeAfterFlush();
    };
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    addClient(std::move(clientSocket), authority, host);
    ASSERT_TRUE(turnUntilBothEnded());
    EXPECT_EQ(atClient, "greeting");
    EXPECT_EQ(client->disconnected(), 1U);
    EXPECT_EQ(server->disconnected(), 1U);
}

TEST_P(TlsConnectionTest, AMegabyteEachWayAndAnOrderlyEnd) {
    constexpr std::size_t packets = 100;
    const std::string block(10'000, 'x');
    std::string atServer;
    std::string atClient;
    auto sendAll = [&](Peer& channel) {
        for (std::size_t i = 0; i < packets; ++i) {
            channel.send(block + std::to_string(i));
        }
    };
    std::string expected;
    for (std::size_t i = 0; i < packets; ++i) expected += block + std::to_string(i);
    client->onOpened = server->onOpened = sendAll;
    server->onPacket = [&](Peer&, std::string_view packet) { atServer += packet; };
    client->onPacket = [&](Peer& channel, std::string_view packet) {
        atClient += packet;
        if (client->packets == packets) channel.closeAfterFlush();
    };
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    addClient(std::move(clientSocket), authority, host);
    ASSERT_TRUE(turnUntilBothEnded());
    EXPECT_TRUE(atServer == expected);
    EXPECT_TRUE(atClient == expected);
    EXPECT_EQ(server->finished, 1U) << "close_notify is the peer's end";
    EXPECT_EQ(server->disconnected(), 1U) << server->reason->message();
    EXPECT_EQ(client->disconnected(), 1U) << client->reason->message();
}

TEST_P(TlsConnectionTest, OneByteAtATimeItWorksToo) {
    server->onPacket = [](Peer& peer, std::string_view packet) { peer.send(packet); };
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    support::TlsSide side = handMade();
    ASSERT_TRUE(converse(side, link.peer, 1, [&] { return side.isUp(); })) << side.trouble();
    side.send(framed("question") + framed("another"));
    ASSERT_TRUE(converse(side, link.peer, 1, [&] { return side.plain.text.size() == 23; }));
    EXPECT_EQ(side.plain.text, framed("question") + framed("another"));
    side.finish();
    ASSERT_TRUE(converse(side, link.peer, 1, [&] { return side.session->hasPeerFinished(); }));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return server->disconnected() == 1; }));
}

TEST_P(TlsConnectionTest, AFinWithoutCloseNotifyIsATruncation) {
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    support::TlsSide side = handMade();
    ASSERT_TRUE(converse(side, link.peer, 4096, [&] { return side.isUp(); })) << side.trouble();
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return server->closed == 1; }));
    ASSERT_EQ(server->failed, 1U);
    EXPECT_TRUE(server->reason->is(nio::Errc::truncated)) << server->reason->message();
    side.take(link.peer.receiveAll());
    EXPECT_TRUE(side.session->hasPeerFinished()) << "ours is orderly all the same";
}

TEST_P(TlsConnectionTest, AConnectionThatIsResetSaysSo) {
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    Peer& channel = addClient(std::move(clientSocket), authority, host);
    dispatcher.turns(20);
    dispatcher.inTurn([&] { channel.abort(); });
    ASSERT_TRUE(turnUntilBothEnded());
    EXPECT_TRUE(server->reason->is(std::errc::connection_reset)) << server->reason->message();
}

TEST_P(TlsConnectionTest, AnUnknownAuthorityIsToldOnBothSides) {
    const support::Authority stranger("stranger");
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    addClient(std::move(clientSocket), stranger, host);
    ASSERT_TRUE(turnUntilBothEnded());
    ASSERT_EQ(client->failed, 1U);
    ASSERT_EQ(server->failed, 1U);
    EXPECT_THAT(client->reason->message(), HasSubstr("certificate verify failed"));
    EXPECT_THAT(server->reason->message(), HasSubstr("alert unknown ca"));
    EXPECT_EQ(client->opened, 1U) << "before the handshake";
}

TEST_P(TlsConnectionTest, AnotherNameIsRefused) {
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    addClient(std::move(clientSocket), authority, "other.example.org");
    ASSERT_TRUE(turnUntilBothEnded());
    EXPECT_THAT(client->reason->message(), HasSubstr("hostname mismatch"));
}

TEST_P(TlsConnectionTest, APlainTextClientIsRefusedWithoutAReset) {
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    link.peer.send(framed(std::string(100, 'x')));
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return server->closed == 1; }));
    EXPECT_THAT(server->reason->message(), HasSubstr("the peer does not speak TLS"));
    EXPECT_EQ(link.peer.receiveAll(), "") << "there is nobody who would understand an alert";
    EXPECT_EQ(link.peer.last().status, nio::IoStatus::closed);
}

TEST_P(TlsConnectionTest, APlainTextServerIsRefused) {
    server->onOpened = [](Peer& channel) { channel.send("plain welcome"); };
    auto [clientSocket, serverSocket] = sockets();
    add(std::move(serverSocket), nio::tls(), server);
    addClient(std::move(clientSocket), authority, host);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return client->closed == 1; }));
    EXPECT_THAT(client->reason->message(), HasSubstr("the peer does not speak TLS"));
}

TEST_P(TlsConnectionTest, ADrainSaysCloseNotifyAndLosesNothing) {
    server->onPacket = [](Peer& peer, std::string_view packet) { peer.send(packet); };
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    support::TlsSide side = handMade();
    ASSERT_TRUE(converse(side, link.peer, 4096, [&] { return side.isUp(); })) << side.trouble();
    side.send(framed("under way"));
    link.peer.send(side.say(SIZE_MAX));
    dispatcher->requestClose({.deadline = std::chrono::minutes(1)});
    ASSERT_TRUE(converse(side, link.peer, 4096, [&] { return side.session->hasPeerFinished(); }));
    EXPECT_EQ(side.plain.text, framed("under way"));
    link.peer.finish();
    while (dispatcher->turn(std::chrono::milliseconds(100))) {
    }
    EXPECT_EQ(dispatcher->draining().report().drained, 1U);
    EXPECT_EQ(dispatcher->draining().report().bytesLost, 0U);
}

}  // namespace
