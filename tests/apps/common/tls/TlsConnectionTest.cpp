// TLS over real sockets: PacketChannels on both sides, or a peer that the test moves by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <nio/codec/LengthFieldDecoder.h>
#include "support/PacketChannel.h"

#include "apps/common/tls/Certificates.h"
#include "apps/common/tls/TlsPair.h"
#include "common/tls/TlsFilter.h"
#include "support/Engines.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

namespace {

using apps::TlsContext;
using apps::TlsFilter;
using support::ScriptedListener;
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
    support::PacketChannel& add(nio::SocketChannel channel, std::unique_ptr<nio::ByteFilter> filter,
                                const std::shared_ptr<ScriptedListener>& listener) {
        auto made = support::makeChannel(std::move(channel),
                                         std::make_unique<nio::LengthFieldDecoder>(), listener);
        if (filter != nullptr) made->setFilter(std::move(filter));
        return dispatcher.add(std::move(made), nio::Interest::read);
    }
    support::PacketChannel& addServer(nio::SocketChannel channel) {
        return add(std::move(channel), TlsFilter::server(*serverContext), server);
    }
    support::PacketChannel& addClient(nio::SocketChannel channel, const support::Authority& trusted,
                                      const std::string& name) {
        const auto context = TlsContext::client({.authority = trusted.file()}).orThrow();
        return add(std::move(channel), TlsFilter::client(*context, name), client);
    }
    // The client's end first.
    static std::pair<nio::SocketChannel, nio::SocketChannel> sockets() {
        nio::kerneltest::ConnectedPair pair(nio::SocketAddress::Family::ipv4);
        return {nio::SocketChannel(std::move(pair.client)),
                nio::SocketChannel(std::move(pair.server))};
    }
    // A client made by hand: a socket and a filter.
    support::TlsSide handMade() const {
        const auto context = TlsContext::client({.authority = authority.file()}).orThrow();
        support::TlsSide side{TlsFilter::client(*context, host)};
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
        return dispatcher.turnUntil([&] { return client->ended() == 1 && server->ended() == 1; });
    }

    support::Authority authority{"authority"};
    const std::shared_ptr<const TlsContext> serverContext =
        TlsContext::server(authority.issue("server")).orThrow();
    const std::shared_ptr<ScriptedListener> client = std::make_shared<ScriptedListener>();
    const std::shared_ptr<ScriptedListener> server = std::make_shared<ScriptedListener>();
    support::TestDispatcher dispatcher{"test", selector()};
};

INSTANTIATE_TEST_SUITE_P(Selectors, TlsConnectionTest, ::testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(TlsConnectionTest, AMegabyteEachWayAndAnOrderlyEnd) {
    constexpr std::size_t packets = 100;
    const std::string block(10'000, 'x');
    std::string atServer;
    std::string atClient;
    auto sendAll = [&](support::PacketChannel& channel) {
        for (std::size_t i = 0; i < packets; ++i) {
            channel.send(block + std::to_string(i));
        }
    };
    std::string expected;
    for (std::size_t i = 0; i < packets; ++i) expected += block + std::to_string(i);
    client->onOpened = server->onOpened = sendAll;
    server->onPacket = [&](support::PacketChannel&, std::string_view packet) {
        atServer += packet;
    };
    client->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
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
    EXPECT_EQ(server->disconnected, 1U) << server->reason()->message();
    EXPECT_EQ(client->disconnected, 1U) << client->reason()->message();
}

TEST_P(TlsConnectionTest, OneByteAtATimeItWorksToo) {
    server->echo();
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    support::TlsSide side = handMade();
    ASSERT_TRUE(converse(side, link.peer, 1, [&] { return side.isUp(); })) << side.trouble();
    side.send(framed("question") + framed("another"));
    ASSERT_TRUE(converse(side, link.peer, 1, [&] { return side.plain.text.size() == 23; }));
    EXPECT_EQ(side.plain.text, framed("question") + framed("another"));
    side.finish();
    ASSERT_TRUE(converse(side, link.peer, 1, [&] { return side.filter->hasPeerFinished(); }));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return server->disconnected == 1; }));
}

TEST_P(TlsConnectionTest, AFinWithoutCloseNotifyIsATruncation) {
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    support::TlsSide side = handMade();
    ASSERT_TRUE(converse(side, link.peer, 4096, [&] { return side.isUp(); })) << side.trouble();
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return server->ended() == 1; }));
    ASSERT_EQ(server->failed, 1U);
    EXPECT_TRUE(server->reason()->is(nio::Errc::truncated)) << server->reason()->message();
    side.take(link.peer.receiveAll());
    EXPECT_TRUE(side.filter->hasPeerFinished()) << "ours is orderly all the same";
}

TEST_P(TlsConnectionTest, AConnectionThatIsResetSaysSo) {
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    support::PacketChannel& channel = addClient(std::move(clientSocket), authority, host);
    dispatcher.turns(20);
    dispatcher.inTurn([&] { channel.abort(); });
    ASSERT_TRUE(turnUntilBothEnded());
    EXPECT_TRUE(server->reason()->is(std::errc::connection_reset)) << server->reason()->message();
}

TEST_P(TlsConnectionTest, AnUnknownAuthorityIsToldOnBothSides) {
    const support::Authority stranger("stranger");
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    addClient(std::move(clientSocket), stranger, host);
    ASSERT_TRUE(turnUntilBothEnded());
    ASSERT_EQ(client->failed, 1U);
    ASSERT_EQ(server->failed, 1U);
    EXPECT_THAT(client->reason()->message(), HasSubstr("certificate verify failed"));
    EXPECT_THAT(server->reason()->message(), HasSubstr("alert unknown ca"));
    EXPECT_EQ(client->opened, 1U) << "before the handshake";
}

TEST_P(TlsConnectionTest, AnotherNameIsRefused) {
    auto [clientSocket, serverSocket] = sockets();
    addServer(std::move(serverSocket));
    addClient(std::move(clientSocket), authority, "other.example.org");
    ASSERT_TRUE(turnUntilBothEnded());
    EXPECT_THAT(client->reason()->message(), HasSubstr("hostname mismatch"));
}

TEST_P(TlsConnectionTest, APlainTextClientIsRefusedWithoutAReset) {
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    link.peer.send(framed(std::string(100, 'x')));
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return server->ended() == 1; }));
    EXPECT_THAT(server->reason()->message(), HasSubstr("the peer does not speak TLS"));
    EXPECT_EQ(link.peer.receiveAll(), "") << "there is nobody who would understand an alert";
    EXPECT_EQ(link.peer.last().status, nio::IoStatus::closed);
}

TEST_P(TlsConnectionTest, APlainTextServerIsRefused) {
    server->onOpened = [](support::PacketChannel& channel) { channel.send("plain welcome"); };
    auto [clientSocket, serverSocket] = sockets();
    add(std::move(serverSocket), nullptr, server);
    addClient(std::move(clientSocket), authority, host);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return client->ended() == 1; }));
    EXPECT_THAT(client->reason()->message(), HasSubstr("the peer does not speak TLS"));
}

TEST_P(TlsConnectionTest, ADrainSaysCloseNotifyAndLosesNothing) {
    server->echo();
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    addServer(std::move(link.channel));
    support::TlsSide side = handMade();
    ASSERT_TRUE(converse(side, link.peer, 4096, [&] { return side.isUp(); })) << side.trouble();
    side.send(framed("under way"));
    link.peer.send(side.say(SIZE_MAX));
    dispatcher->requestClose({.deadline = std::chrono::minutes(1)});
    ASSERT_TRUE(converse(side, link.peer, 4096, [&] { return side.filter->hasPeerFinished(); }));
    EXPECT_EQ(side.plain.text, framed("under way"));
    link.peer.finish();
    while (dispatcher->turn(std::chrono::milliseconds(100))) {
    }
    EXPECT_EQ(dispatcher->draining().report().drained, 1U);
    EXPECT_EQ(dispatcher->draining().report().bytesLost, 0U);
}

}  // namespace
