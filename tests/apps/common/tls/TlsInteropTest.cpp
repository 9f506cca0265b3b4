// Against the openssl program, where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <nio/codec/LineDecoder.h>
#include <nio/loop/SelectorThread.h>
#include <nio/net/Server.h>

#include "apps/common/tls/Certificates.h"
#include "common/tls/TlsFilter.h"
#include "support/Process.h"
#include "support/ScriptedListener.h"

namespace {

using apps::TlsContext;
using apps::TlsFilter;
using support::Process;
using support::ScriptedListener;
using ::testing::HasSubstr;

class TlsInteropTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (std::system("openssl version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no openssl";
    }
    std::unique_ptr<support::PacketChannel> channelOf(
        nio::SocketChannel socket, std::unique_ptr<nio::ByteFilter> filter) const {
        auto made =
            support::makeChannel(std::move(socket), std::make_unique<nio::LineDecoder>(), listener);
        made->setFilter(std::move(filter));
        return made;
    }
    // s_client of this version, which says `hello` and stays until the server ends.
    Process client(const std::string& version, const nio::SocketAddress& server) const {
        return Process({"sh", "-c",
                        "echo hello | openssl s_client -connect " + server.toString() + " -" +
                            version + " -quiet -verify_return_error -CAfile " + authority.file() +
                            " -verify_hostname localhost"});
    }

    support::Authority authority{"authority"};
    const apps::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    const std::shared_ptr<ScriptedListener> listener = std::make_shared<ScriptedListener>();
};

class TlsServerInterop : public TlsInteropTest,
                         public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Versions, TlsServerInterop, ::testing::Values("tls1_2", "tls1_3"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(TlsServerInterop, OpensslsClientIsServed) {
    const auto context = TlsContext::server(files).orThrow();
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        channel.send("you said " + std::string(packet));
        channel.closeAfterFlush();
    };
    nio::Server server({}, [&](nio::AcceptedConnection connection) {
        auto made = channelOf(std::move(connection.channel), TlsFilter::server(*context));
        made->keep(std::move(connection.permit));
        return made;
    });
    server.start();
    Process peer = client(GetParam(), server.address());
    EXPECT_EQ(peer.wait(), 0) << peer.errors();
    EXPECT_EQ(peer.output(), "you said hello\n") << peer.errors();
    server.requestStop();
    EXPECT_EQ(server.wait().bytesLost, 0U);
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_F(TlsInteropTest, OpensslsServerIsUnderstood) {
    Process peer({"openssl", "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-cert",
                  files.certificate, "-key", files.key});
    std::string line = peer.readLine();
    while (line.rfind("ACCEPT ", 0) != 0) line = peer.readLine();
    const nio::SocketAddress address = nio::SocketAddress::parse(line.substr(7)).orThrow();

    std::string answer;
    listener->onOpened = [](support::PacketChannel& channel) { channel.send("hello"); };
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        answer = packet;
        channel.closeAfterFlush();
    };
    const auto context = TlsContext::client({.authority = authority.file()}).orThrow();
    nio::SelectorThread dispatcher;
    auto connect = [&] {
        nio::onDispatcher.assertCurrent();
        nio::UniqueFd socket =
            nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
        (void)nio::kernel::connect(socket.get(), address);
        ASSERT_TRUE(nio::kerneltest::waitFor(socket.get(), POLLOUT));
        auto made = channelOf(nio::SocketChannel(std::move(socket)),
                              TlsFilter::client(*context, "localhost"));
        ASSERT_TRUE(dispatcher.registerChannelNow(std::move(made), nio::Interest::read).ok());
    };
    ASSERT_TRUE(dispatcher.invokeLater(connect));
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    while (listener->ended() == 0 && nio::Clock::now() < end) {
        dispatcher.turn(std::chrono::milliseconds(100));
    }
    EXPECT_EQ(answer, "olleh");
    EXPECT_EQ(listener->disconnected, 1U)
        << (listener->reason() ? listener->reason()->message() : "no end");
    listener->forgetHooks();
}

}  // namespace
