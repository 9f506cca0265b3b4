#include <nio/channel/ServerSocketChannel.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <filesystem>
#include <memory>

#include <nio/sys/handover/Handover.h>

#include "support/ForkedProcess.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using kerneltest::connectTo;
using kerneltest::hasIpv6;
using kerneltest::TemporaryFolder;
using Family = SocketAddress::Family;

IoResult tryToConnect(const SocketAddress& address) {
    const UniqueFd client = kernel::openStreamSocket(address.family()).orThrow();
    return connectTo(client.get(), address);
}

class EachListener : public kerneltest::EachFamily {
  protected:
    TemporaryFolder folder_;
};

TEST_P(EachListener, AcceptsAConnection) {
    support::Journal journal;
    support::TestDispatcher dispatcher;
    const SocketAddress place = kerneltest::Listener::place(GetParam(), folder_);
    auto acceptor = std::make_unique<support::RecordingAcceptHandler>(
        ServerSocketChannel::open(place).orThrow(), "listener", journal);
    ServerSocketChannel& channel = acceptor->channel();
    const SocketAddress address = channel.localAddress().orThrow();
    EXPECT_EQ(address.family(), GetParam());
    EXPECT_EQ(address.port() != 0, GetParam() != Family::unix_);

    std::unique_ptr<SocketChannel> accepted;
    acceptor->onAccept = [&] {
        kernel::Accepted one = channel.accept();
        ASSERT_TRUE(one.result.isDone());
        accepted = std::make_unique<SocketChannel>(std::move(one.fd));
        EXPECT_EQ(channel.accept().result.status, IoStatus::wouldBlock);
    };
    dispatcher.add(std::move(acceptor), Interest::accept);
    EXPECT_TRUE(tryToConnect(address).isDone());
    ASSERT_TRUE(dispatcher.turnUntil([&] { return accepted != nullptr; }));
    EXPECT_EQ(accepted->localAddress().orThrow(), address);
}

// Of an accepted connection; negative: it has none.
int idleOf(int fd) {
    int on = 0;
    int seconds = 0;
    socklen_t size = sizeof on;
    EXPECT_EQ(::getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
    EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, &size), 0);
    return on != 0 ? seconds : -1;
}

TEST(ServerSocketChannel, ItsConnectionsInheritKeepAlive) {
    for (const int seconds : {0, 7}) {
        ListenOptions options;
        options.keepAlive = std::chrono::seconds(seconds);
        const auto listener =
            ServerSocketChannel::open(SocketAddress::loopback4(0), options).orThrow();
        const SocketAddress address = listener.localAddress().orThrow();
        const UniqueFd client = kernel::openStreamSocket(address.family()).orThrow();
        ASSERT_FALSE(connectTo(client.get(), address).isFailed());
        kernel::Accepted accepted{IoResult::wouldBlock(), {}};
        while (accepted.result.status == IoStatus::wouldBlock) {
            accepted = kernel::accept(listener.fd());
        }
        ASSERT_TRUE(accepted.result.isDone());
        EXPECT_EQ(idleOf(accepted.fd.get()), seconds == 0 ? -1 : seconds);
    }
}

TEST_P(EachListener, TakesKeepAliveWhereThereIsNone) {
    ListenOptions options;
    options.keepAlive = std::chrono::seconds(7);
    const SocketAddress place = kerneltest::Listener::place(GetParam(), folder_);
    EXPECT_TRUE(ServerSocketChannel::open(place, options));
}

TEST(ServerSocketChannel, AForkedProcessLeavesItsPathToTheOwner) {
    const TemporaryFolder folder;
    const SocketAddress address = kerneltest::Listener::place(Family::unix_, folder);
    {
        auto listener =
            std::make_unique<ServerSocketChannel>(ServerSocketChannel::open(address).orThrow());
        support::ForkedProcess worker([&listener] {
            listener.reset();
            return 0;
        });
        EXPECT_EQ(worker.wait(), 0);
        EXPECT_TRUE(std::filesystem::exists(address.path()));
        EXPECT_TRUE(tryToConnect(address).isDone());
    }
    EXPECT_FALSE(std::filesystem::exists(address.path()));
}

TEST(ServerSocketChannel, ADaemonRemovesThePathOfItsParent) {
    const TemporaryFolder folder;
    const SocketAddress address = kerneltest::Listener::place(Family::unix_, folder);
    support::ForkedProcess starter([&address] {
        auto listener =
            std::make_unique<ServerSocketChannel>(ServerSocketChannel::open(address).orThrow());
        const pid_t parent = ::getpid();
        if (::fork() != 0) return 0;
        while (kernel::isProcessThere(parent)) ::sched_yield();
        listener.reset();
        return 0;
    });
    EXPECT_EQ(starter.wait(), 0);
    while (std::filesystem::exists(address.path())) ::sched_yield();
}

TEST(ServerSocketChannel, RefusesAKeepAliveOutOfRange) {
    for (const int seconds : {-1, 9 * 3600 + 1}) {
        ListenOptions options;
        options.keepAlive = std::chrono::seconds(seconds);
        const auto opened = ServerSocketChannel::open(SocketAddress::loopback4(0), options);
        ASSERT_FALSE(opened);
        EXPECT_TRUE(opened.error().is(std::errc::invalid_argument));
    }
}

TEST_P(EachListener, RefusesAnAddressThatIsInUse) {
    const SocketAddress place = kerneltest::Listener::place(GetParam(), folder_);
    const ServerSocketChannel first = ServerSocketChannel::open(place).orThrow();
    const auto second = ServerSocketChannel::open(first.localAddress().orThrow());
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().is(std::errc::address_in_use)) << second.error().message();
    EXPECT_NE(second.error().message().find(first.localAddress().orThrow().toString()),
              std::string::npos)
        << "it names the address";
    EXPECT_TRUE(tryToConnect(first.localAddress().orThrow()).isDone()) << "the first one lives";
}

TEST_P(EachListener, CanListenAgainWhereAnotherHasGone) {
    const SocketAddress place = kerneltest::Listener::place(GetParam(), folder_);
    SocketAddress address;
    {
        const ServerSocketChannel first = ServerSocketChannel::open(place).orThrow();
        address = first.localAddress().orThrow();
        EXPECT_TRUE(tryToConnect(address).isDone());
    }
    EXPECT_TRUE(ServerSocketChannel::open(address));
}

TEST(ServerSocketChannel, SharesAPortWithOthersThatWishTo) {
    ListenOptions sharing;
    sharing.reusePort = true;
    const ServerSocketChannel first =
        ServerSocketChannel::open(SocketAddress::loopback4(0), sharing).orThrow();
    const SocketAddress address = first.localAddress().orThrow();
    EXPECT_TRUE(ServerSocketChannel::open(address, sharing));
    EXPECT_FALSE(ServerSocketChannel::open(address));
}

TEST_P(EachListener, RefusesToAcceptWhenItIsNotRegistered) {
    ServerSocketChannel channel =
        ServerSocketChannel::open(kerneltest::Listener::place(GetParam(), folder_)).orThrow();
    EXPECT_THROW((void)channel.accept(), WrongThreadError);
}

INSTANTIATE_TEST_SUITE_P(Families, EachListener,
                         testing::Values(Family::ipv4, Family::ipv6, Family::unix_),
                         kerneltest::familyName);

// --- IPv6 -----------------------------------------------------------------------------------

class DualStack : public testing::TestWithParam<bool> {};

TEST_P(DualStack, IsWhatWasAskedForWhateverTheSystemsDefaultIs) {
    if (!hasIpv6()) GTEST_SKIP() << "no IPv6 on this machine";
    ListenOptions options;
    options.dualStack = GetParam();
    const ServerSocketChannel channel =
        ServerSocketChannel::open(SocketAddress::parse("[::]:0").orThrow(), options).orThrow();
    const std::uint16_t port = channel.localAddress().orThrow().port();
    EXPECT_TRUE(tryToConnect(SocketAddress::loopback6(port)).isDone());
    EXPECT_EQ(tryToConnect(SocketAddress::loopback4(port)).isDone(), GetParam());

    int only = -1;
    socklen_t length = sizeof only;
    ASSERT_EQ(::getsockopt(channel.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &only, &length), 0);
    EXPECT_EQ(only != 0, !GetParam());
}

INSTANTIATE_TEST_SUITE_P(BothWays, DualStack, testing::Bool());

// --- adopted --------------------------------------------------------------------------------

TEST(AdoptedListener, AcceptsAConnection) {
    const TemporaryFolder folder;
    const kerneltest::Listener listener(Family::ipv4, folder);
    ListenOptions options;
    options.keepAlive = std::chrono::seconds(7);
    auto channel =
        ServerSocketChannel::adopt(kernel::duplicate(listener.fd()).orThrow(), options).orThrow();
    EXPECT_EQ(channel.localAddress().orThrow(), listener.address());
    support::Journal journal;
    support::TestDispatcher dispatcher;
    auto acceptor =
        std::make_unique<support::RecordingAcceptHandler>(std::move(channel), "listener", journal);
    int idle = 0;
    acceptor->onAccept = [&listening = acceptor->channel(), &idle] {
        kernel::Accepted one = listening.accept();
        ASSERT_TRUE(one.result.isDone());
        idle = idleOf(one.fd.get());
    };
    dispatcher.add(std::move(acceptor), Interest::accept);
    EXPECT_TRUE(tryToConnect(listener.address()).isDone());
    ASSERT_TRUE(dispatcher.turnUntil([&] { return idle != 0; }));
    EXPECT_EQ(idle, 7);
}

TEST(AdoptedListener, IsRefusedIfItDoesNotListen) {
    kerneltest::ConnectedPair pair(Family::ipv4);
    const auto refused = ServerSocketChannel::adopt(std::move(pair.server));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(std::errc::invalid_argument));
    EXPECT_TRUE(kerneltest::waitFor(pair.client.get(), POLLIN)) << "it is closed";
}

}  // namespace
}  // namespace nio
