// ESMEs and SMSCs over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <openssl/ssl.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "nio-tls/Certificates.h"

namespace router::scenarios {

namespace {

// A call of OpenSSL on a blocking socket. What io_uring has left to do for this thread ends its
// wait as a signal does, and SO_RCVTIMEO keeps the system from going on with it.
template <typename Call>
int uninterrupted(Call call) {
    for (;;) {
        errno = 0;
        const int done = call();
        if (done > 0 || errno != EINTR) return done;
    }
}

// Either side, by OpenSSL on a blocking socket; SO_RCVTIMEO is its patience.
class TlsStream final : public Stream {
  public:
    TlsStream(nio::UniqueFd fd, SSL_CTX* context, bool asServer) : fd_(std::move(fd)) {
        ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) & ~O_NONBLOCK);
        const timeval limit{patience.count(), 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        ssl_ = SSL_new(context);
        SSL_set_fd(ssl_, fd_.get());
        if (!asServer) (void)SSL_set_tlsext_host_name(ssl_, "smsc.example.org");
        const auto shakeHands = asServer ? SSL_accept : SSL_connect;
        if (uninterrupted([&] { return shakeHands(ssl_); }) == 1) return;
        SSL_free(ssl_);
        throw std::runtime_error("no TLS handshake");
    }
    ~TlsStream() override { SSL_free(ssl_); }

    void send(nio::ByteView octets) override {
        const int size = static_cast<int>(octets.size());
        if (uninterrupted([&] { return SSL_write(ssl_, octets.data(), size); }) <= 0) {
            throw std::runtime_error("SSL_write");
        }
    }
    bool receive(nio::Bytes& into) override {
        nio::Byte block[16384];
        const int count = uninterrupted([&] { return SSL_read(ssl_, block, sizeof block); });
        if (count > 0) into.insert(into.end(), block, block + count);
        endedWell_ = SSL_get_error(ssl_, count) == SSL_ERROR_ZERO_RETURN;
        return count > 0;
    }
    int fd() const override { return fd_.get(); }
    // The peer has said that this is the end (close_notify).
    bool endedWell() const { return endedWell_; }
    const char* version() const { return SSL_get_version(ssl_); }

  private:
    nio::UniqueFd fd_;
    SSL* ssl_ = nullptr;
    bool endedWell_ = false;
};

// A context of OpenSSL that trusts an authority, or has a certificate.
class Context {
  public:
    explicit Context(const std::string& authority) : context_(SSL_CTX_new(TLS_client_method())) {
        SSL_CTX_load_verify_locations(context_, authority.c_str(), nullptr);
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    }
    explicit Context(const nio::TlsServerFiles& files)
        : context_(SSL_CTX_new(TLS_server_method())) {
        show(files);
    }
    void show(const nio::TlsServerFiles& files) {
        SSL_CTX_use_certificate_chain_file(context_, files.certificate.c_str());
        SSL_CTX_use_PrivateKey_file(context_, files.key.c_str(), SSL_FILETYPE_PEM);
    }
    // Only peers with a certificate of this authority are taken.
    void demandCertificateOf(const std::string& authority) {
        SSL_CTX_load_verify_locations(context_, authority.c_str(), nullptr);
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    ~Context() { SSL_CTX_free(context_); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    SSL_CTX* get() const { return context_; }

  private:
    SSL_CTX* context_;
};

// Whether the router ends the connection before the bind.
bool isRefused(const nio::SocketAddress& router, const Context& context) {
    try {
        SmppPeer esme(std::make_unique<TlsStream>(connectTo(router), context.get(), false));
        esme.bind();
        return false;
    } catch (const std::runtime_error&) {
        // In TLS 1.3 the client hears of it after its own part of the handshake.
        return true;
    }
}

// The next bind that comes with a certificate which the context demands: tries without one end in
// the handshake.
SmscBind nextTrusted(TestSmsc& listener, const Context& context) {
    for (;;) {
        try {
            return acceptBind(SmppPeer(
                std::make_unique<TlsStream>(listener.acceptSocket(), context.get(), true)));
        } catch (const std::runtime_error&) {
        }
    }
}

std::string tlsOf(const nio::TlsServerFiles& files) {
    return "tls = { certificate = \"" + files.certificate + "\", key = \"" + files.key + "\" }\n";
}

}  // namespace

TEST(RouterTls, ListenerTakesEsmes) {
    support::Authority authority("authority");
    const Context context(authority.file());
    OneSmsc scene({.listener = tlsOf(authority.issue("router"))});
    auto stream =
        std::make_unique<TlsStream>(connectTo(scene.router.address()), context.get(), false);
    TlsStream& tls = *stream;
    EXPECT_STREQ(tls.version(), "TLSv1.3");
    SmppPeer esme(std::move(stream));
    EXPECT_EQ(esme.bind(), Status::ok);
    const std::string ours = scene.accepted(esme, "17");
    scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.send(submitSm(77, {.tlvs = {{Tag::messagePayload, std::string(60'000, 'x')}}}));
    const OwnedPdu submit = scene.smsc.nextSubmit();
    EXPECT_EQ(submit.message().size(), 60'000u);
    scene.smsc.refuse(submit, Status::throttled);
    EXPECT_EQ(esme.expectAnswer(77).status(), Status::throttled);
    esme.send(bare(Command::unbind, 78));
    EXPECT_EQ(esme.expectAnswer(78).status(), Status::ok);
    EXPECT_TRUE(esme.closedByPeer());
    EXPECT_TRUE(tls.endedWell());
}

TEST(RouterTls, ListenerEndsAConnectionThatIsPlain) {
    support::Authority authority("authority");
    OneSmsc scene({.listener = tlsOf(authority.issue("router"))});
    const auto stream = plainStream(connectTo(scene.router.address()));
    stream->send(bindPdu(1, {}));
    nio::Bytes answer;
    while (stream->receive(answer)) {
    }
    // At most a TLS alert.
    EXPECT_TRUE(answer.empty() || answer[0] == nio::Byte{0x15});
}

TEST(RouterTls, ListenerClosesAConnectionOnHandshakeTimeout) {
    support::Authority authority("authority");
    OneSmsc scene(
        {.timers = "session_init = \"50ms\"", .listener = tlsOf(authority.issue("router"))});
    const auto stream = plainStream(connectTo(scene.router.address()));
    nio::Bytes answer;
    while (stream->receive(answer)) {
    }
    EXPECT_TRUE(answer.empty());
}

TEST(RouterTls, ListenerAndAPlainOneServeTheSameAccounts) {
    support::Authority authority("authority");
    const Context context(authority.file());
    const std::string second = "[listener.tls]\nhost = \"127.0.0.2\"\nport = 0\n";
    OneSmsc scene({.more = second + tlsOf(authority.issue("router"))});
    const std::string& line = scene.router.readyLine();
    const std::size_t start = line.find("127.0.0.2:");
    ASSERT_NE(start, std::string::npos) << line;
    const auto address =
        nio::SocketAddress::parse(line.substr(start, line.find(' ', start) - start)).orThrow();
    SmppPeer esme(std::make_unique<TlsStream>(connectTo(address), context.get(), false));
    EXPECT_EQ(esme.bind(), Status::ok);
    SmppPeer plain = scene.router.bound("esme1");
    scene.smsc.deliver({.to = "12345"});
    scene.smsc.deliver({.to = "12345"});
    esme.expect(Command::deliverSm);
    plain.expect(Command::deliverSm);
}

TEST(RouterTls, HasANewCertificateAfterAReload) {
    support::Authority first("first");
    support::Authority second("second");
    const nio::SocketAddress address = freeAddress();
    const std::string listener = "[listener.tls]\nhost = \"" + address.host() +
                                 "\"\nport = " + std::to_string(address.port()) + "\n";
    OneSmsc scene({.more = listener + tlsOf(first.issue("router"))});
    const Context trustsFirst(first.file());
    const Context trustsSecond(second.file());
    SmppPeer stays(std::make_unique<TlsStream>(connectTo(address), trustsFirst.get(), false));
    EXPECT_EQ(stays.bind(), Status::ok);
    scene.router.setup().more = listener + tlsOf(second.issue("router"));
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), "sms-router: info: configuration reloaded");
    SmppPeer fresh(std::make_unique<TlsStream>(connectTo(address), trustsSecond.get(), false));
    EXPECT_EQ(fresh.bind(), Status::ok);
    EXPECT_TRUE(stays.nothingArrives());
}

TEST(RouterTls, ConnectsToAnSmsc) {
    support::Authority authority("authority");
    const Context context(authority.issue("smsc"));
    TestSmsc listener;
    const std::string tls =
        "tls = { authority = \"" + authority.file() + "\", server_name = \"smsc.example.org\" }\n";
    RouterProcess router({.connectors = {{"smsc", listener.port(), tls}}});
    SmscBind smsc = acceptBind(
        SmppPeer(std::make_unique<TlsStream>(listener.acceptSocket(), context.get(), true)));
    EXPECT_TRUE(smsc.nothingArrives());
    SmppPeer esme = router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    smsc.answer(smsc.nextSubmit(), "17");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
}

TEST(RouterTls, TrustsAnotherAuthorityAfterAReload) {
    support::Authority first("first");
    support::Authority second("second");
    const Context context(second.issue("smsc"));
    TestSmsc listener;
    const auto trusting = [](support::Authority& authority) {
        return "tls = { authority = \"" + authority.file() +
               "\", server_name = \"smsc.example.org\" }\n";
    };
    RouterProcess router({.connectors = {{"smsc", listener.port(), trusting(first)}}});
    EXPECT_THROW(
        {
            TlsStream stream(listener.acceptSocket(), context.get(), true);
            nio::Bytes nothing;
            if (!stream.receive(nothing)) throw std::runtime_error("it is not trusted");
        },
        std::runtime_error);
    router.address();
    router.setup().connectors[0].settings = trusting(second);
    router.writeConfig();
    EXPECT_EQ(router.reload(), "sms-router: info: configuration reloaded");
    // A try with the old one may be under way.
    for (bool bound = false; !bound;) {
        try {
            SmscBind smsc = acceptBind(SmppPeer(
                std::make_unique<TlsStream>(listener.acceptSocket(), context.get(), true)));
            bound = true;
        } catch (const std::runtime_error&) {
        }
    }
}

TEST(RouterTls, DoesNotBindToAnSmscThatItDoesNotTrust) {
    support::Authority authority("authority");
    support::Authority other("other");
    const Context context(other.issue("smsc"));
    TestSmsc listener;
    const std::string tls =
        "tls = { authority = \"" + authority.file() + "\", server_name = \"smsc.example.org\" }\n";
    RouterProcess router({.connectors = {{"smsc", listener.port(), tls}}});
    for (int i = 0; i < 2; ++i) {
        try {
            SmppPeer smsc(
                std::make_unique<TlsStream>(listener.acceptSocket(), context.get(), true));
            EXPECT_TRUE(smsc.closedByPeer());
        } catch (const std::runtime_error&) {
            // The handshake has failed already.
        }
    }
    EXPECT_EQ(router.bound("esme1").ask(submitSm(7, {})).status(), Status::sysErr);
}

TEST(RouterTls, ListenerTakesOnlyClientsOfItsAuthority) {
    support::Authority servers("servers");
    support::Authority clients("clients");
    support::Authority strangers("strangers");
    nio::TlsServerFiles files = servers.issue("router");
    OneSmsc scene({.listener = "tls = { certificate = \"" + files.certificate + "\", key = \"" +
                               files.key + "\", client_ca = \"" + clients.file() + "\" }\n"});
    const std::string line = "sms-router: warning: connection from 127.0.0.1:[0-9]+ refused: TLS ";
    const Context without(servers.file());
    EXPECT_TRUE(isRefused(scene.router.address(), without));
    EXPECT_THAT(scene.router.process().readErrorLine(),
                testing::MatchesRegex(line + "handshake: peer did not return a certificate"));
    Context stranger(servers.file());
    stranger.show(strangers.issue("stranger"));
    EXPECT_TRUE(isRefused(scene.router.address(), stranger));
    EXPECT_THAT(scene.router.process().readErrorLine(),
                testing::MatchesRegex(line + "handshake: certificate verify failed: .*"));
    Context client(servers.file());
    client.show(clients.issue("client"));
    EXPECT_FALSE(isRefused(scene.router.address(), client));
}

TEST(RouterTls, ShowsAnSmscItsCertificateAlsoARenewedOne) {
    support::Authority authority("authority");
    support::Authority first("first");
    support::Authority second("second");
    const nio::TlsServerFiles smscFiles = authority.issue("smsc");
    Context wantsFirst(smscFiles);
    Context wantsSecond(smscFiles);
    wantsFirst.demandCertificateOf(first.file());
    wantsSecond.demandCertificateOf(second.file());
    TestSmsc listener;
    const auto showing = [&](const nio::TlsServerFiles& own) {
        return "reconnect_first = \"20ms\"\nreconnect_max = \"20ms\"\ntls = { authority = \"" +
               authority.file() + "\", server_name = \"smsc.example.org\", certificate = \"" +
               own.certificate + "\", key = \"" + own.key + "\" }\n";
    };
    const nio::TlsServerFiles own = first.issue("router");
    RouterProcess router({.connectors = {{"smsc", listener.port(), showing(own)}}});
    SmscBind smsc = nextTrusted(listener, wantsFirst);
    EXPECT_TRUE(smsc.nothingArrives());
    router.address();
    // The same names, other content.
    const nio::TlsServerFiles renewed = second.issue("router");
    std::filesystem::copy_file(renewed.certificate, own.certificate,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::copy_file(renewed.key, own.key,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(router.reload(), "sms-router: info: configuration reloaded");
    EXPECT_TRUE(smsc.nothingArrives()) << "a reload ends no bind";
    smsc.close();
    EXPECT_TRUE(nextTrusted(listener, wantsSecond).nothingArrives());
}

}  // namespace router::scenarios
