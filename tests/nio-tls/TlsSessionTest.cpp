#include <nio-tls/TlsSession.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <cstdlib>
#include <functional>
#include <vector>

#include <nio-tls/TlsError.h>
#include <nio-tls/TlsMemory.h>
#include "nio-tls/Certificates.h"
#include "nio-tls/TlsPair.h"

namespace {

using nio::TlsContext;
using nio::TlsSession;
using support::TlsPair;
using support::TlsSide;
using ::testing::HasSubstr;
using Context = std::shared_ptr<const TlsContext>;

const std::string serverName = "smsc.example.org";

class TlsSessionTest : public ::testing::TestWithParam<int> {
  protected:
    // Of the version under test.
    Context serverContext(const nio::TlsServerFiles& from) {
        Context made = TlsContext::server(from).orThrow();
        SSL_CTX_set_max_proto_version(made->native(), GetParam());
        return made;
    }
    Context trusting(const support::Authority& whom) {
        return TlsContext::client({.authority = whom.file()}).orThrow();
    }
    TlsPair pair(const Context& client, const Context& server,
                 const std::string& name = serverName) {
        return {TlsSide{std::make_unique<TlsSession>(*client, name)},
                TlsSide{std::make_unique<TlsSession>(*server)}};
    }
    TlsPair connected() {
        TlsPair made = pair(trusting(authority), serverContext(files));
        made.shakeHands();
        EXPECT_TRUE(made.client.isUp()) << made.client.trouble();
        EXPECT_TRUE(made.server.isUp()) << made.server.trouble();
        return made;
    }
    static std::string text(std::size_t size) {
        std::string made;
        std::mt19937 random(7);
        while (made.size() < size) made += static_cast<char>(random());
        return made;
    }

    support::Authority authority{"authority"};
    const nio::TlsServerFiles files = authority.issue("server");
};

INSTANTIATE_TEST_SUITE_P(Versions, TlsSessionTest,
                         ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION), [](const auto& tested) {
                             return tested.param == TLS1_2_VERSION ? "TLS12" : "TLS13";
                         });

TEST_P(TlsSessionTest, AgreesOnTheBestCommonVersion) {
    TlsPair pair = connected();
    const auto& client = static_cast<const TlsSession&>(*pair.client.session);
    const std::string version = GetParam() == TLS1_2_VERSION ? "TLSv1.2 " : "TLSv1.3 ";
    EXPECT_EQ(client.describe().substr(0, version.size()), version) << client.describe();
}

TEST_P(TlsSessionTest, IsNotReadyBeforeTheHandshakeIsDone) {
    TlsPair pair = this->pair(trusting(authority), serverContext(files));
    pair.server.begin();
    EXPECT_EQ(pair.server.network.text, "");
    pair.client.begin();
    EXPECT_NE(pair.client.network.text, "");
    EXPECT_FALSE(pair.client.session->isReady());
    EXPECT_FALSE(pair.server.session->isReady());
}

TEST_P(TlsSessionTest, AMegabyteEachWayArrivesHoweverItIsChopped) {
    const std::string one = text(1'000'000);
    for (const std::size_t longestPiece : {7U, 3'000U, 100'000U}) {
        TlsPair pair = this->pair(trusting(authority), serverContext(files));
        pair.longestPiece = longestPiece;
        pair.shakeHands();
        ASSERT_TRUE(pair.client.isUp() && pair.server.isUp());
        const std::string other = one.substr(1000) + "other";
        for (std::size_t at = 0; at < one.size(); at += 40'000) {
            pair.client.send(std::string_view(one).substr(at, 40'000));
            pair.server.send(std::string_view(other).substr(at, 40'000));
        }
        pair.talk();
        EXPECT_TRUE(pair.server.plain.text == one) << longestPiece;
        EXPECT_TRUE(pair.client.plain.text == other) << longestPiece;
    }
}

TEST_P(TlsSessionTest, ByteByByteItWorksToo) {
    TlsPair pair = this->pair(trusting(authority), serverContext(files));
    pair.longestPiece = 1;
    pair.shakeHands();
    ASSERT_TRUE(pair.client.isUp()) << pair.client.trouble();
    pair.client.send("question");
    pair.server.send("answer");
    pair.talk();
    EXPECT_EQ(pair.server.plain.text, "question");
    EXPECT_EQ(pair.client.plain.text, "answer");
}

TEST_P(TlsSessionTest, TheEndOfOneSideLeavesTheOtherOneTalking) {
    TlsPair pair = connected();
    pair.client.send("last words");
    pair.client.finish();
    EXPECT_FALSE(pair.server.session->hasPeerFinished());
    pair.talk();
    EXPECT_EQ(pair.server.plain.text, "last words");
    EXPECT_TRUE(pair.server.session->hasPeerFinished());
    EXPECT_FALSE(pair.client.session->hasPeerFinished());

    pair.server.send("and mine");
    pair.server.finish();
    pair.talk();
    EXPECT_EQ(pair.client.plain.text, "and mine");
    EXPECT_TRUE(pair.client.session->hasPeerFinished());
    EXPECT_EQ(pair.client.trouble(), "none");
    EXPECT_EQ(pair.server.trouble(), "none");
}

TEST_P(TlsSessionTest, WhatComesBehindTheEndIsIgnored) {
    TlsPair pair = connected();
    pair.client.finish();
    pair.talk();
    pair.server.take("and so on");
    EXPECT_TRUE(pair.server.session->hasPeerFinished());
    EXPECT_EQ(pair.server.trouble(), "none");
    EXPECT_EQ(pair.server.plain.text, "");
}

TEST_P(TlsSessionTest, FinishingInsideTheHandshakeSaysNothing) {
    TlsPair pair = this->pair(trusting(authority), serverContext(files));
    pair.server.begin();
    pair.server.finish();
    EXPECT_EQ(pair.server.network.text, "");
    EXPECT_EQ(pair.server.trouble(), "none");
}

TEST_P(TlsSessionTest, AServerOfAnotherAuthorityIsRefusedAndHearsOfIt) {
    const support::Authority stranger("stranger");
    TlsPair pair = this->pair(trusting(stranger), serverContext(files));
    pair.shakeHands();
    EXPECT_EQ(pair.client.trouble(),
              "TLS handshake: certificate verify failed: unable to get local issuer certificate: "
              "encoding failed");
    EXPECT_TRUE(pair.client.error->is(nio::Errc::encodingFailed));
    EXPECT_THAT(pair.server.trouble(), HasSubstr("TLS handshake: tlsv1 alert unknown ca"));
}

TEST_P(TlsSessionTest, AServerWithoutAnAuthorityIsRefusedByTheSystemsOnes) {
    TlsPair pair = this->pair(TlsContext::client({}).orThrow(), serverContext(files));
    pair.shakeHands();
    EXPECT_THAT(pair.client.trouble(), HasSubstr("certificate verify failed"));
}

TEST_P(TlsSessionTest, ACertificateForAnotherNameIsRefused) {
    TlsPair pair = this->pair(trusting(authority), serverContext(files), "other.example.org");
    pair.shakeHands();
    EXPECT_THAT(pair.client.trouble(), HasSubstr("certificate verify failed: hostname mismatch"));
    EXPECT_TRUE(pair.server.error.has_value());
}

TEST_P(TlsSessionTest, AnAddressIsVerifiedAsOne) {
    const Context server = serverContext(authority.issue("numeric", {.names = "IP:127.0.0.1"}));
    TlsPair right = pair(trusting(authority), server, "127.0.0.1");
    right.shakeHands();
    EXPECT_TRUE(right.client.isUp()) << right.client.trouble();
    TlsPair wrong = pair(trusting(authority), server, "127.0.0.2");
    wrong.shakeHands();
    EXPECT_THAT(wrong.client.trouble(), HasSubstr("IP address mismatch"));
}

TEST_P(TlsSessionTest, AnExpiredCertificateIsRefused) {
    const Context server = serverContext(authority.issue("old", {.fromDays = -2, .toDays = -1}));
    TlsPair pair = this->pair(trusting(authority), server);
    pair.shakeHands();
    EXPECT_THAT(pair.client.trouble(),
                HasSubstr("certificate verify failed: certificate has expired"));
}

TEST_P(TlsSessionTest, WithoutVerificationAnyCertificateWillDo) {
    const Context server = serverContext(authority.issue("old", {.fromDays = -2, .toDays = -1}));
    TlsPair pair = this->pair(TlsContext::client({.verify = false}).orThrow(), server, "");
    pair.shakeHands();
    EXPECT_TRUE(pair.client.isUp()) << pair.client.trouble();
}

TEST_P(TlsSessionTest, VerifyingWithoutANameIsRefused) {
    for (const std::string& name : {std::string(), std::string("smsc.example.org\0x", 18)}) {
        TlsPair pair = this->pair(trusting(authority), serverContext(files), name);
        pair.client.begin();
        EXPECT_EQ(pair.client.trouble(), "TLS: no server name to verify: encoding failed");
        EXPECT_EQ(pair.client.network.text, "");
    }
}

TEST_P(TlsSessionTest, APeerThatSpeaksPlainTextIsToldFromOthers) {
    const std::string bind("\0\0\0\x2F\0\0\0\x09\0\0\0\0\0\0\0\1esme1", 21);
    for (const std::string& said : {std::string("GET / HTTP/1.1\r\n\r\n"), bind}) {
        TlsPair pair = this->pair(trusting(authority), serverContext(files));
        pair.server.begin();
        pair.client.begin();
        pair.server.take(said);
        pair.client.take(said);
        EXPECT_THAT(pair.server.trouble(), HasSubstr("TLS handshake: the peer does not speak TLS"));
        EXPECT_THAT(pair.client.trouble(), HasSubstr("TLS handshake: the peer does not speak TLS"));
    }
}

TEST_P(TlsSessionTest, ARecordThatWasTouchedIsAnError) {
    TlsPair pair = connected();
    pair.client.send("question");
    pair.client.network.text.back() = static_cast<char>(pair.client.network.text.back() ^ 1);
    pair.talk();
    EXPECT_THAT(pair.server.trouble(), ::testing::StartsWith("TLS: "));
    EXPECT_THAT(pair.server.trouble(), HasSubstr("bad record mac"));
    EXPECT_EQ(pair.server.plain.text, "");
    EXPECT_THAT(pair.client.trouble(), HasSubstr("alert bad record mac"));
}

TEST_P(TlsSessionTest, AClientOfAnOldVersionIsRefused) {
    const Context old = TlsContext::client({.verify = false}).orThrow();
    SSL_CTX_set_security_level(old->native(), 0);
    SSL_CTX_set_min_proto_version(old->native(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(old->native(), TLS1_1_VERSION);
    SSL_CTX_set_cipher_list(old->native(), "ALL");
    TlsPair pair = this->pair(old, serverContext(files));
    pair.shakeHands();
    EXPECT_THAT(pair.server.trouble(), HasSubstr("unsupported protocol"));
}

TEST_P(TlsSessionTest, AClientThatWantsToRenegotiateIsToldNo) {
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(trusting(authority)->native()),
                                                        SSL_free);
    nio::TlsBytes bytes;
    support::TextSink said;
    bytes.output = &said;
    BIO* const bio = nio::newTlsBio(bytes);
    SSL_set_bio(ssl.get(), bio, bio);
    SSL_set_connect_state(ssl.get());
    TlsSide server{std::make_unique<TlsSession>(*serverContext(files))};
    char byte = 0;
    auto talk = [&] {
        for (int i = 0; i < 4; ++i) {
            (void)SSL_read(ssl.get(), &byte, 1);
            server.take(std::exchange(said.text, {}));
            bytes.input = nio::asBytes(server.say(SIZE_MAX));
        }
    };
    talk();
    ASSERT_TRUE(server.isUp()) << server.trouble();
    SSL_clear_options(ssl.get(), SSL_OP_NO_RENEGOTIATION);
    if (SSL_renegotiate(ssl.get()) != 1) {
        EXPECT_EQ(GetParam(), TLS1_3_VERSION) << "which does not know it";
        return;
    }
    (void)SSL_do_handshake(ssl.get());
    ASSERT_FALSE(said.text.empty()) << "a ClientHello";
    server.take(said.text);
    EXPECT_EQ(server.trouble(), "none");
    bytes.input = nio::asBytes(server.say(SIZE_MAX));
    EXPECT_LE(SSL_do_handshake(ssl.get()), 0);
    EXPECT_EQ(nio::takeTlsReason(), "no renegotiation");
}

TEST_P(TlsSessionTest, WhatASinkThrowsComesOut) {
    class Full final : public nio::ByteSink {
      public:
        void append(nio::ByteView) override { throw std::bad_alloc(); }
    } full;
    TlsPair pair = connected();
    EXPECT_THROW((void)pair.client.session->encode(nio::asBytes("question"), full), std::bad_alloc);

    TlsPair other = connected();
    other.client.send("question");
    EXPECT_THROW((void)other.server.session->decode(nio::asBytes(other.client.network.text), full,
                                                    other.server.network),
                 std::bad_alloc);
}

TEST_P(TlsSessionTest, ConnectionsKeepTheContextTheyBeganWith) {
    Context context = serverContext(files);
    TlsPair pair = this->pair(trusting(authority), context);
    context.reset();
    pair.shakeHands();
    EXPECT_TRUE(pair.client.isUp()) << pair.client.trouble();
}

TEST_P(TlsSessionTest, ASilentClientCostsAServerNoOpensslMemory) {
    ASSERT_TRUE(nio::TlsMemory::isCounted());
    const Context context = serverContext(files);
    const std::ptrdiff_t before = nio::TlsMemory::ofThread();
    TlsSide server{std::make_unique<TlsSession>(*context)};
    server.begin();
    EXPECT_EQ(server.session->memory(), 0U);
    EXPECT_EQ(nio::TlsMemory::ofThread(), before);
}

// A record with the header of a ClientHello, which announces 131,396 octets of which none follows.
TEST_P(TlsSessionTest, MemoryCountsTheRoomForAnAnnouncedMessage) {
    TlsSide server{std::make_unique<TlsSession>(*serverContext(files))};
    server.begin();
    server.take(std::string_view("\x16\x03\x01\x00\x04\x01\x02\x01\x44", 9));
    EXPECT_EQ(server.trouble(), "none");
    EXPECT_GE(server.session->memory(), 131'396U);
}

TEST_P(TlsSessionTest, MemoryCountsARecordThatHasBegun) {
    TlsPair both = connected();
    both.client.send("question");
    const std::size_t idle = both.server.session->memory();
    EXPECT_GT(idle, 0U);
    EXPECT_LT(idle, 64U * 1024);
    both.server.take(both.client.say(5));
    EXPECT_GE(both.server.session->memory(), idle + 16 * 1024);
    both.server.take(both.client.say(SIZE_MAX));
    EXPECT_EQ(both.server.plain.text, "question");
    EXPECT_LT(both.server.session->memory(), idle + 1024);
}

// What one connection keeps is what it was charged with: nothing is left when it is gone.
TEST_P(TlsSessionTest, MemoryIsWhatOpensslReleasesAtTheEnd) {
    connected();  // what the process allocates once
    // These stay.
    const Context client = trusting(authority);
    const Context server = serverContext(files);
    TlsPair both = pair(client, server);
    both.shakeHands();
    const std::ptrdiff_t before = nio::TlsMemory::ofThread();
    const std::size_t held = both.server.session->memory() + both.client.session->memory();
    both = {};
    const std::ptrdiff_t released = before - nio::TlsMemory::ofThread();
    EXPECT_NEAR(static_cast<double>(released), static_cast<double>(held), 4096);
}

// Ends the process. The first statics are destroyed last.
[[noreturn]] void exitWithAConnection() {
    static std::vector<std::string> reused;
    struct Connection {
        nio::TlsBuffer unsent{};
        std::unique_ptr<TlsSession> session{};
    };
    static Connection connection;
    // Between TLS's statics and the connection: overwrites memory that is free.
    struct Reuse {
        ~Reuse() {
            for (std::size_t size = 16; size < 256; ++size) reused.emplace_back(size, '\xff');
        }
    };
    static Reuse reuse;
    connection.session =
        std::make_unique<TlsSession>(*TlsContext::client({.verify = false}).orThrow());
    support::TextSink network;
    if (!connection.session->begin(network)) std::exit(1);
    nio::TlsBuffer spare;
    connection.unsent.append(nio::asBytes("unsent"));
    spare.append(nio::asBytes("lent"));
    spare.release();
    std::exit(0);
}

TEST(TlsSessionExitTest, AStaticConnectionMayBeDestroyedLast) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(exitWithAConnection(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
