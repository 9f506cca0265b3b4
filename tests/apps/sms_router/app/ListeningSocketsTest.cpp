#include "sms_router/app/ListeningSockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/app/CoreBench.h"
#include "support/TestClient.h"

namespace router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr const char* host = "127.0.0.1";

nio::UniqueFd boundSocket() {
    auto socket = nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::bind(socket.get(), nio::SocketAddress::loopback4(0)).orThrow();
    return socket;
}

nio::UniqueFd listeningSocket() {
    nio::UniqueFd socket = boundSocket();
    nio::kernel::listen(socket.get(), 16).orThrow();
    return socket;
}

nio::SocketAddress addressOf(const nio::UniqueFd& socket) {
    return nio::kernel::localAddress(socket.get()).orThrow();
}

ListeningSockets passing(nio::UniqueFd socket) {
    std::vector<nio::UniqueFd> all;
    all.push_back(std::move(socket));
    return ListeningSockets(std::move(all));
}

TEST(ListeningSockets, TakesThePassedSocketOfTheAddress) {
    nio::UniqueFd socket = listeningSocket();
    const int descriptor = socket.get();
    const nio::SocketAddress address = addressOf(socket);
    ListeningSockets sockets = passing(std::move(socket));
    const nio::ServerSocketChannel channel = sockets.listen(host, address.port(), 60s).orThrow();
    EXPECT_EQ(channel.fd(), descriptor);
    EXPECT_THAT(sockets.unused(), IsEmpty());
}

TEST(ListeningSockets, OpensASocketForAnotherAddress) {
    nio::UniqueFd socket = listeningSocket();
    const nio::SocketAddress address = addressOf(socket);
    ListeningSockets sockets = passing(std::move(socket));
    const nio::ServerSocketChannel channel = sockets.listen(host, 0, 60s).orThrow();
    EXPECT_NE(channel.localAddress().orThrow(), address);
    EXPECT_THAT(sockets.unused(), ElementsAre(address.toString()));
}

TEST(ListeningSockets, APassedSocketIsTakenOnce) {
    nio::UniqueFd socket = listeningSocket();
    const std::uint16_t port = addressOf(socket).port();
    ListeningSockets sockets = passing(std::move(socket));
    const nio::ServerSocketChannel channel = sockets.listen(host, port, 60s).orThrow();
    const auto second = sockets.listen(host, port, 60s);
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().is(std::errc::address_in_use)) << second.error().message();
}

TEST(ListeningSockets, RefusesAPassedSocketThatDoesNotListen) {
    nio::UniqueFd socket = boundSocket();
    const std::uint16_t port = addressOf(socket).port();
    const auto refused = passing(std::move(socket)).listen(host, port, 60s);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), HasSubstr("is not a listening socket"));
}

TEST(ListeningSockets, RefusesAHostThatIsNotNumeric) {
    EXPECT_FALSE(ListeningSockets().listen("localhost", 0, 60s));
}

TEST(ListeningSockets, AReloadWithoutTheListenerClosesThem) {
    nio::UniqueFd socket = listeningSocket();
    const nio::SocketAddress address = addressOf(socket);
    CoreBench bench(CoreBench::inMemory(), 64, 2, {}, passing(std::move(socket)));
    ASSERT_THAT(bench.deployment.apply(ConfigOf().listener("esme", address.port()).shared()),
                IsEmpty());
    bench.turn();
    EXPECT_EQ(bench.deployment.listeners().at(0)->address(), address);
    EXPECT_TRUE(support::isListening(address));
    ASSERT_THAT(bench.deployment.apply(ConfigOf().shared()), IsEmpty());
    bench.turn();
    EXPECT_FALSE(support::isListening(address));
}

}  // namespace
}  // namespace router
