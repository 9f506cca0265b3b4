// Against the openssl program, where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <nio/codec/LineDecoder.h>
#include <nio/net/Client.h>
#include <nio/net/Server.h>

#include <nio-tls/Tls.h>

#include "nio-tls/Certificates.h"
#include "support/Process.h"

namespace {

using nio::TlsContext;
using support::Process;

class TlsInteropTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (std::system("openssl version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no openssl";
    }
    // s_client of this version, which says `hello` and stays until the server ends.
    Process client(const std::string& version, const nio::SocketAddress& server) const {
        return Process({"sh", "-c",
                        "echo hello | openssl s_client -connect " + server.toString() + " -" +
                            version + " -quiet -verify_return_error -CAfile " + authority.file() +
                            " -verify_hostname localhost"});
    }

    support::Authority authority{"authority"};
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
};

struct Asking {
    std::string* answer;

    void opened(auto& server) { server.send("hello"); }
    void read(auto& server, std::string_view said) {
        *answer = said;
        server.closeAfterFlush();
    }
};

class TlsServerInterop : public TlsInteropTest,
                         public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Versions, TlsServerInterop, ::testing::Values("tls1_2", "tls1_3"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(TlsServerInterop, OpensslsClientIsServed) {
    nio::Server server("127.0.0.1:0", nio::tls(TlsContext::server(files).orThrow()), nio::lines(),
                       [](auto& peer, std::string_view line) {
                           peer.send("you said " + std::string(line));
                           peer.closeAfterFlush();
                       });
    server.start();
    Process peer = client(GetParam(), server.address());
    EXPECT_EQ(peer.wait(), 0) << peer.errors();
    EXPECT_EQ(peer.output(), "you said hello\n") << peer.errors();
    server.requestStop();
    EXPECT_EQ(server.wait().bytesLost, 0U);
}

TEST_F(TlsInteropTest, OpensslsServerIsUnderstood) {
    Process peer({"openssl", "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-cert",
                  files.certificate, "-key", files.key});
    std::string line = peer.readLine();
    while (line.rfind("ACCEPT ", 0) != 0) line = peer.readLine();

    std::string answer;
    const auto trust = TlsContext::client({.authority = authority.file()}).orThrow();
    nio::SelectorThread dispatcher;
    nio::Client client(dispatcher, line.substr(7), nio::tls(trust, "localhost"), nio::lines(),
                       Asking{&answer});
    const nio::Result<void> end = client.run();
    EXPECT_EQ(answer, "olleh");
    EXPECT_TRUE(end.ok()) << end.error().message();
}

}  // namespace
