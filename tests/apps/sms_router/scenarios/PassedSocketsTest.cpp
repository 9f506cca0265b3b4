// Sockets that a service manager passes (LISTEN_FDS). The test is the manager: it keeps the socket.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nio/channel/ServerSocketChannel.h>

#include "apps/sms_router/scenarios/RouterProcess.h"

namespace router::scenarios {

class RouterPassedSockets : public testing::Test {
  protected:
    // The router with the socket as descriptor 3, and `key` set to its port.
    RouterSetup setupFor(const std::string& key) const {
        const std::string script = "exec 3<&" + std::to_string(inherited.get()) +
                                   "; export LISTEN_FDS=1 LISTEN_PID=$$; exec \"$0\" \"$@\"";
        RouterSetup setup;
        setup.prefix = {"bash", "-c", script};
        if (!key.empty()) setup.options = {"--set", key + "=" + std::to_string(address.port())};
        return setup;
    }

    const nio::ServerSocketChannel socket =
        nio::ServerSocketChannel::open(nio::SocketAddress::loopback4(0)).orThrow();
    const nio::SocketAddress address = socket.localAddress().orThrow();
    // Not close-on-exec; and not 3, which bash may use.
    const nio::UniqueFd inherited{::fcntl(socket.fd(), F_DUPFD, 100)};
};

TEST_F(RouterPassedSockets, KeepConnectionsDuringARestart) {
    RouterProcess router(setupFor("listener.esme.port"));
    EXPECT_EQ(router.address(), address);
    EXPECT_NO_THROW(router.bound("esme1"));
    router.stop();
    EXPECT_EQ(router.exitCode(), 0);
    SmppPeer esme(address);
    router.startAgain();
    EXPECT_EQ(router.address(), address);
    EXPECT_EQ(esme.bind({.systemId = "esme1", .password = "secret1"}), Status::ok);
}

TEST_F(RouterPassedSockets, ServeTheAdminInterface) {
    RouterSetup setup = setupFor("admin.port");
    setup.admin = true;
    RouterProcess router(std::move(setup));
    EXPECT_EQ(router.adminAddress(), address);
}

TEST_F(RouterPassedSockets, ServeHttp) {
    RouterProcess router(setupFor("http.port"));
    EXPECT_EQ(router.nextHttpAddress(), address);
}

TEST_F(RouterPassedSockets, AreAnErrorWithoutAListener) {
    RouterProcess router(setupFor(""));
    EXPECT_EQ(router.exitCode(), 1);
    EXPECT_THAT(router.process().errors(),
                testing::EndsWith("\nsms-router: sockets were passed (LISTEN_FDS) for which the "
                                  "configuration has no listener: " +
                                  address.toString() + "\n"));
}

}  // namespace router::scenarios
