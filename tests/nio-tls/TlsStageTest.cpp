#include <nio-tls/Tls.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "nio-tls/Certificates.h"
#include "nio-tls/TlsPair.h"
#include "support/Hooked.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/Observers.h>

namespace {

using nio::TlsContext;
using LineApplication = support::Hooked<nio::TlsStage, nio::Framed<nio::LineDecoder>>;
using LinePeer = LineApplication::Peer;
using LineHooks = LineApplication::Hooks;
using Context = std::shared_ptr<const TlsContext>;
using ::testing::HasSubstr;

class TlsStageTest : public ::testing::Test {
  protected:
    LinePeer& add(nio::UniqueFd socket, const nio::TlsStage& stage,
                  const std::shared_ptr<LineHooks>& hooks) {
        const auto make = nio::pipeline(stage, nio::lines(), LineApplication(hooks));
        return dispatcher.add(make(nio::SocketChannel(std::move(socket))), nio::Interest::read);
    }
    // A connection on which the client says "hello" and the server echoes, until both have ended.
    // What the sessions were is written down at the echo.
    void talk(const nio::TlsStage& serverSide, const nio::TlsStage& clientSide) {
        client = std::make_shared<LineHooks>();
        server = std::make_shared<LineHooks>();
        client->onOpened = [](LinePeer& peer) { peer.send("hello"); };
        client->onPacket = [&](LinePeer& peer, std::string_view line) {
            answer = line;
            const nio::TlsSession* const session = nio::tlsOf(peer);
            clientIsResumed = session != nullptr && session->isResumed();
            cipher = session == nullptr ? "" : session->describe();
            certificate = session == nullptr ? "" : session->peerSubject();
            peer.closeAfterFlush();
        };
        server->onPacket = [&](LinePeer& peer, std::string_view line) {
            const nio::TlsSession* const session = nio::tlsOf(peer);
            protocol = session == nullptr ? "" : session->protocol();
            clientCertificate = session == nullptr ? "" : session->peerSubject();
            peer.send(line);
        };
        nio::kerneltest::ConnectedPair pair(nio::SocketAddress::Family::ipv4);
        add(std::move(pair.server), serverSide, server);
        add(std::move(pair.client), clientSide, client);
        EXPECT_TRUE(
            dispatcher.turnUntil([&] { return client->closed == 1 && server->closed == 1; }));
    }
    Context trust(std::vector<std::string> protocols = {}, bool resumption = false) {
        return TlsContext::client({.authority = authority.file(),
                                   .protocols = std::move(protocols),
                                   .resumption = resumption})
            .orThrow();
    }
    nio::TlsServerFiles issue(const std::string& name) {
        return authority.issue(name, {.names = "DNS:" + name});
    }

    support::Authority authority{"authority"};
    support::TestDispatcher dispatcher;
    std::shared_ptr<LineHooks> client;
    std::shared_ptr<LineHooks> server;
    std::string answer;
    std::string cipher;
    std::string protocol;
    std::string certificate;
    std::string clientCertificate;
    bool clientIsResumed = false;
};

TEST_F(TlsStageTest, WithoutAContextBytesPassAsTheyAre) {
    talk(nio::tls(), nio::tls());
    EXPECT_EQ(answer, "hello");
    EXPECT_EQ(cipher, "");
    EXPECT_EQ(client->disconnected(), 1U);
    EXPECT_EQ(server->disconnected(), 1U);
}

TEST_F(TlsStageTest, NewConnectionsUseTheReplacedContext) {
    const auto slot = std::make_shared<nio::TlsSlot>(TlsContext::server(issue("old")).orThrow());
    talk(nio::tls(slot), nio::tls(trust(), "old"));
    EXPECT_EQ(answer, "hello");
    slot->set(TlsContext::server(issue("new")).orThrow());
    talk(nio::tls(slot), nio::tls(trust(), "old"));
    ASSERT_EQ(client->failed, 1U);
    EXPECT_THAT(client->reason->message(), HasSubstr("hostname mismatch"));
    answer.clear();
    talk(nio::tls(slot), nio::tls(trust(), "new"));
    EXPECT_EQ(answer, "hello");
    slot->set(nullptr);
    answer.clear();
    talk(nio::tls(slot), nio::tls());
    EXPECT_EQ(answer, "hello");
}

TEST_F(TlsStageTest, AServerHasACertificateForEachName) {
    nio::TlsServerFiles files = issue("first.example");
    for (const std::string name : {"second.example", "third.example"}) {
        const nio::TlsServerFiles more = issue(name);
        files.byName.push_back({more.certificate, more.key});
    }
    const Context context = TlsContext::server(files).orThrow();
    for (const std::string name : {"first.example", "second.example", "third.example"}) {
        answer.clear();
        talk(nio::tls(context), nio::tls(trust(), name));
        EXPECT_EQ(answer, "hello") << name;
    }
    talk(nio::tls(context), nio::tls(trust(), "fourth.example"));
    EXPECT_EQ(client->failed, 1U) << "it gets the first one";
}

TEST_F(TlsStageTest, TheServersPreferredProtocolIsChosen) {
    nio::TlsServerFiles files = issue("server");
    files.protocols = {"h2", "http/1.1"};
    const Context context = TlsContext::server(files).orThrow();
    talk(nio::tls(context), nio::tls(trust({"http/1.1", "h2"}), "server"));
    EXPECT_EQ(protocol, "h2");
    talk(nio::tls(context), nio::tls(trust(), "server"));
    EXPECT_EQ(protocol, "") << "the client knows no protocols";
    EXPECT_EQ(client->failed, 0U);
    talk(nio::tls(context), nio::tls(trust({"smtp"}), "server"));
    ASSERT_EQ(client->failed, 1U);
    EXPECT_THAT(client->reason->message(), HasSubstr("no application protocol"));
}

TEST_F(TlsStageTest, AProtocolWithoutANameIsRefused) {
    EXPECT_THAT(TlsContext::client({.verify = false, .protocols = {""}}).error().message(),
                HasSubstr("TLS protocol \"\""));
}

TEST_F(TlsStageTest, BothSeeTheSubjectOfThePeersCertificate) {
    nio::TlsServerFiles files = issue("server");
    files.clientAuthority = authority.file();
    const Context context = TlsContext::server(files).orThrow();
    const nio::TlsServerFiles own = issue("esme1");
    const auto withCertificate =
        TlsContext::client(
            {.authority = authority.file(), .certificate = own.certificate, .key = own.key})
            .orThrow();
    talk(nio::tls(context), nio::tls(withCertificate, "server"));
    EXPECT_THAT(clientCertificate, HasSubstr("CN = "));
    EXPECT_THAT(certificate, HasSubstr("CN = "));
    talk(nio::tls(context), nio::tls(trust(), "server"));
    EXPECT_EQ(server->failed, 1U) << "it needs one";
}

TEST_F(TlsStageTest, AClientResumesItsLastSession) {
    nio::TlsServerFiles files = issue("server");
    files.resumption = true;
    files.clientAuthority.clear();
    const Context context = TlsContext::server(files).orThrow();
    const Context resuming = trust({}, true);
    talk(nio::tls(context), nio::tls(resuming, "server"));
    EXPECT_FALSE(clientIsResumed) << "the first one";
    talk(nio::tls(context), nio::tls(resuming, "server"));
    EXPECT_TRUE(clientIsResumed);
    talk(nio::tls(context), nio::tls(trust(), "server"));
    EXPECT_FALSE(clientIsResumed) << "another context has no session";
    talk(nio::tls(TlsContext::server(files).orThrow()), nio::tls(resuming, "server"));
    EXPECT_FALSE(clientIsResumed) << "the tickets are good for their context only";
    EXPECT_EQ(answer, "hello");
}

TEST_F(TlsStageTest, WithoutTicketsNothingIsResumed) {
    const Context context = TlsContext::server(issue("server")).orThrow();
    const Context resuming = trust({}, true);
    for (int i = 0; i < 2; ++i) {
        talk(nio::tls(context), nio::tls(resuming, "server"));
        EXPECT_FALSE(clientIsResumed);
    }
}

TEST_F(TlsStageTest, AClientOfTls12ResumesEveryTime) {
    nio::TlsServerFiles files = issue("server");
    files.resumption = true;
    const Context context = TlsContext::server(files).orThrow();
    SSL_CTX_set_max_proto_version(context->native(), TLS1_2_VERSION);
    const Context resuming = trust({}, true);
    for (int i = 0; i < 4; ++i) {
        talk(nio::tls(context), nio::tls(resuming, "server"));
        EXPECT_EQ(clientIsResumed, i > 0) << i;
        EXPECT_THAT(cipher, HasSubstr("TLSv1.2"));
    }
}

TEST_F(TlsStageTest, AServerNameWithoutAContextIsRefused) {
    EXPECT_THROW(nio::tls(Context(), "server"), std::invalid_argument);
    EXPECT_THROW(nio::tls(std::shared_ptr<nio::TlsSlot>()), std::invalid_argument);
}

// Below TLS stands a stage that stood there before.
struct StartsTls {
    nio::TlsStage tls;
    nio::Traffic* traffic;

    void read(auto& peer, std::string_view line) {
        nio::onDispatcher.assumeCurrent();
        EXPECT_EQ(line, "STARTTLS");
        peer.send("ready");
        const auto echo = [](auto& connection, std::string_view text) { connection.send(text); };
        const auto next = nio::pipeline(nio::count(*traffic), tls, nio::lines(), echo);
        EXPECT_TRUE(peer.replaceWith(next).ok());
    }
};

TEST_F(TlsStageTest, StartTlsTakesWhatCameBehindItsLine) {
    nio::Traffic traffic;
    const nio::TlsStage tls = nio::tls(TlsContext::server(issue("server")).orThrow());
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    dispatcher.add(nio::pipeline(nio::count(traffic), nio::lines(),
                                 StartsTls{tls, &traffic})(std::move(link.channel)),
                   nio::Interest::read);
    support::TlsSide here{std::make_unique<nio::TlsSession>(*trust(), "server")};
    here.begin();
    link.peer.send("STARTTLS\n" + std::exchange(here.network.text, {}));
    std::string answer;
    ASSERT_TRUE(dispatcher.turnUntil(
        [&] { return (answer += link.peer.receiveWhatIsThere()).size() >= 6; }));
    EXPECT_EQ(answer.substr(0, 6), "ready\n");
    here.take(answer.substr(6));
    const auto carry = [&] {
        link.peer.send(std::exchange(here.network.text, {}));
        here.take(link.peer.receiveWhatIsThere());
    };
    ASSERT_TRUE(dispatcher.turnUntil([&] { return carry(), here.isUp(); })) << here.trouble();
    here.send("hello\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return carry(), here.plain.text == "hello\n"; }));
    here.finish();
    carry();
    link.peer.finish();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
    EXPECT_GE(traffic.read, 4u) << "the line, the rest of it again, and what came later";
}

}  // namespace
