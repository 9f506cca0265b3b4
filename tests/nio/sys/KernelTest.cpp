#include <nio/sys/Kernel.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "KernelTesting.h"
#include "support/NoDescriptorLeft.h"

namespace nio {
namespace {

using kerneltest::ConnectedPair;
using kerneltest::connectTo;
using kerneltest::Family;
using kerneltest::Listener;
using kerneltest::TemporaryFolder;
using kerneltest::waitFor;

constexpr std::size_t enough = 64;

int optionOf(int fd, int level, int option) {
    int value = -1;
    socklen_t length = sizeof value;
    EXPECT_EQ(::getsockopt(fd, level, option, &value, &length), 0);
    return value;
}

bool isNonBlocking(int fd) {
    return (::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
}
bool isCloseOnExec(int fd) {
    return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

// Reads what comes until `size` bytes, the end or a failure.
std::string receiveText(int fd, std::size_t size) {
    std::string text;
    std::vector<Byte> buffer(size);
    while (text.size() < size && waitFor(fd, POLLIN)) {
        const IoResult result = kernel::receive(fd, {buffer.data(), size - text.size()});
        if (!result.isDone()) break;
        text += asText({buffer.data(), result.bytes});
    }
    return text;
}

// Sends until the kernel takes no more.
IoResult fill(int fd) {
    const Bytes block(65536);
    IoResult result = kernel::send(fd, block);
    while (result.isDone()) result = kernel::send(fd, block);
    return result;
}

using KernelSockets = kerneltest::EachFamily;
INSTANTIATE_TEST_SUITE_P(Each, KernelSockets,
                         testing::Values(Family::ipv4, Family::ipv6, Family::unix_),
                         kerneltest::familyName);

TEST_P(KernelSockets, CarryBytesBothWays) {
    const ConnectedPair pair(GetParam());
    EXPECT_EQ(kernel::send(pair.client.get(), asBytes("there")).bytes, 5u);
    EXPECT_EQ(receiveText(pair.server.get(), 5), "there");
    EXPECT_EQ(kernel::send(pair.server.get(), asBytes("and back")).bytes, 8u);
    EXPECT_EQ(receiveText(pair.client.get(), 8), "and back");
}

TEST_P(KernelSockets, AreNonBlockingAndCloseOnExec) {
    const ConnectedPair pair(GetParam());
    for (const int fd : {pair.client.get(), pair.server.get()}) {
        EXPECT_TRUE(isNonBlocking(fd));
        EXPECT_TRUE(isCloseOnExec(fd));
    }
}

TEST_P(KernelSockets, SendPiecesInOrderInOneCall) {
    const ConnectedPair pair(GetParam());
    std::string words[] = {"one ", "", "two ", "three"};
    std::array<iovec, 4> pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = {words[i].data(), words[i].size()};
    EXPECT_EQ(kernel::sendPieces(pair.client.get(), pieces).bytes, 13u);
    EXPECT_EQ(receiveText(pair.server.get(), 13), "one two three");
}

TEST_P(KernelSockets, SendAThousandAndTwentyFourPieces) {
    const ConnectedPair pair(GetParam());
    char letter = 'x';
    const std::vector<iovec> pieces(1024, iovec{&letter, 1});
    EXPECT_EQ(kernel::sendPieces(pair.client.get(), pieces).bytes, 1024u);
    EXPECT_EQ(receiveText(pair.server.get(), 1024), std::string(1024, 'x'));
}

TEST_P(KernelSockets, WouldBlockWhereThereIsNothingToRead) {
    const ConnectedPair pair(GetParam());
    std::array<Byte, enough> buffer;
    EXPECT_EQ(kernel::receive(pair.client.get(), buffer).status, IoStatus::wouldBlock);
}

TEST_P(KernelSockets, WouldBlockWhereTheBufferIsFull) {
    const ConnectedPair pair(GetParam());
    EXPECT_EQ(fill(pair.client.get()).status, IoStatus::wouldBlock);
    char letter = 'x';
    const iovec piece{&letter, 1};
    EXPECT_EQ(kernel::sendPieces(pair.client.get(), {&piece, 1}).status, IoStatus::wouldBlock);
}

TEST_P(KernelSockets, SeeTheEndAfterTheLastByte) {
    const ConnectedPair pair(GetParam());
    ASSERT_TRUE(kernel::send(pair.client.get(), asBytes("last")).isDone());
    ASSERT_TRUE(kernel::shutdownWrite(pair.client.get()).ok());
    EXPECT_EQ(receiveText(pair.server.get(), 4), "last");
    ASSERT_TRUE(waitFor(pair.server.get(), POLLIN));
    std::array<Byte, enough> buffer;
    EXPECT_EQ(kernel::receive(pair.server.get(), buffer).status, IoStatus::closed);
    EXPECT_TRUE(kernel::send(pair.server.get(), asBytes("still open")).isDone());
    EXPECT_EQ(receiveText(pair.client.get(), 10), "still open");
}

TEST_P(KernelSockets, SayHowMuchThePeerHasNotTaken) {
    const ConnectedPair pair(GetParam());
    EXPECT_EQ(kernel::undeliveredBytes(pair.client.get()), 0U);
    const Bytes piece(64 * 1024);
    while (kernel::send(pair.client.get(), piece).isDone()) {
    }
    EXPECT_GT(kernel::undeliveredBytes(pair.client.get()), 0U);
}

TEST_P(KernelSockets, SayHowLongTheyHaveBeenEstablished) {
    const ConnectedPair pair(GetParam());
    if (GetParam() == Family::unix_) {
        EXPECT_EQ(kernel::establishedFor(pair.server.get()).count(), 0);
        return;
    }
    std::chrono::milliseconds before{0};
    while (before < std::chrono::milliseconds(20)) {
        before = kernel::establishedFor(pair.server.get());
    }
    EXPECT_TRUE(kernel::send(pair.client.get(), asBytes("x")).isDone());
    EXPECT_EQ(receiveText(pair.server.get(), 1), "x");
    EXPECT_GE(kernel::establishedFor(pair.server.get()), before);
}

TEST_P(KernelSockets, WouldBlockWhereNobodyWaitsToBeAccepted) {
    const TemporaryFolder folder;
    const Listener listener(GetParam(), folder);
    const kernel::Accepted accepted = kernel::accept(listener.fd());
    EXPECT_EQ(accepted.result.status, IoStatus::wouldBlock);
    EXPECT_FALSE(accepted.fd);
}

TEST_P(KernelSockets, KnowBothAddresses) {
    const TemporaryFolder folder;
    const Listener listener(GetParam(), folder);
    const UniqueFd client = kernel::openStreamSocket(GetParam()).orThrow();
    ASSERT_TRUE(connectTo(client.get(), listener.address()).isDone());
    const UniqueFd server = listener.acceptOne();

    EXPECT_EQ(kernel::peerAddress(client.get()).orThrow(), listener.address());
    EXPECT_EQ(kernel::localAddress(server.get()).orThrow(), listener.address());
    EXPECT_EQ(kernel::peerAddress(server.get()).orThrow(),
              kernel::localAddress(client.get()).orThrow());
}

TEST_P(KernelSockets, AreRefusedWhereNobodyListens) {
    const TemporaryFolder folder;
    const UniqueFd bound = kernel::openStreamSocket(GetParam()).orThrow();
    ASSERT_TRUE(kernel::bind(bound.get(), Listener::place(GetParam(), folder)).ok());
    const UniqueFd client = kernel::openStreamSocket(GetParam()).orThrow();
    const IoResult result = connectTo(client.get(), kernel::localAddress(bound.get()).orThrow());
    EXPECT_EQ(result.status, IoStatus::failed);
    EXPECT_EQ(result.code, std::errc::connection_refused);
}

TEST_P(KernelSockets, CannotShareAnAddressThatIsListenedOn) {
    const TemporaryFolder folder;
    const Listener listener(GetParam(), folder);
    const UniqueFd second = kernel::openStreamSocket(GetParam()).orThrow();
    const Result<void> bound = kernel::bind(second.get(), listener.address());
    ASSERT_FALSE(bound.ok());
    EXPECT_TRUE(bound.error().is(std::errc::address_in_use));
    EXPECT_EQ(bound.error().context(), "bind " + listener.address().toString());
}

// SIGPIPE is left at its default on purpose: it would end this process.
TEST_P(KernelSockets, FailWithoutASignalWhenThePeerIsGone) {
    struct sigaction action {};
    ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &action), 0);
    ASSERT_EQ(action.sa_handler, SIG_DFL);

    ConnectedPair pair(GetParam());
    pair.server.reset();
    ASSERT_TRUE(waitFor(pair.client.get(), POLLIN | POLLRDHUP));
    IoResult result = kernel::send(pair.client.get(), asBytes("x"));
    while (result.isDone()) result = kernel::send(pair.client.get(), asBytes("x"));
    EXPECT_EQ(result.status, IoStatus::failed);

    char letter = 'x';
    const iovec piece{&letter, 1};
    const IoResult pieces = kernel::sendPieces(pair.client.get(), {&piece, 1});
    EXPECT_EQ(pieces.status, IoStatus::failed);
    EXPECT_EQ(pieces.code, std::errc::broken_pipe);
}

using KernelTcp = kerneltest::EachFamily;
INSTANTIATE_TEST_SUITE_P(Each, KernelTcp, testing::Values(Family::ipv4, Family::ipv6),
                         kerneltest::familyName);

TEST_P(KernelTcp, GiveThePeerAResetWhenAskedTo) {
    ConnectedPair pair(GetParam());
    ASSERT_TRUE(kernel::setResetOnClose(pair.client.get()).ok());
    pair.client.reset();
    ASSERT_TRUE(waitFor(pair.server.get(), POLLIN));
    std::array<Byte, enough> buffer;
    const IoResult result = kernel::receive(pair.server.get(), buffer);
    EXPECT_EQ(result.status, IoStatus::failed);
    EXPECT_EQ(result.code, std::errc::connection_reset);
}

TEST_P(KernelTcp, TurnOptionsOnAndOff) {
    const UniqueFd fd = kernel::openStreamSocket(GetParam()).orThrow();
    for (const bool on : {true, false}) {
        EXPECT_TRUE(kernel::setReuseAddress(fd.get(), on).ok());
        EXPECT_TRUE(kernel::setReusePort(fd.get(), on).ok());
        EXPECT_TRUE(kernel::setNoDelay(fd.get(), on).ok());
        EXPECT_EQ(optionOf(fd.get(), SOL_SOCKET, SO_REUSEADDR) != 0, on);
        EXPECT_EQ(optionOf(fd.get(), SOL_SOCKET, SO_REUSEPORT) != 0, on);
        EXPECT_EQ(optionOf(fd.get(), IPPROTO_TCP, TCP_NODELAY) != 0, on);
    }
}

TEST_P(KernelTcp, ProbePeersThatAreSilent) {
    const UniqueFd fd = kernel::openStreamSocket(GetParam()).orThrow();
    EXPECT_EQ(optionOf(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 0);
    for (const int seconds : {1, 60, 9 * 3600}) {
        EXPECT_TRUE(kernel::setKeepAlive(fd.get(), std::chrono::seconds(seconds)).ok());
        EXPECT_EQ(optionOf(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
        EXPECT_EQ(optionOf(fd.get(), IPPROTO_TCP, TCP_KEEPIDLE), seconds);
        EXPECT_EQ(optionOf(fd.get(), IPPROTO_TCP, TCP_KEEPINTVL), std::max(1, seconds / 5));
        EXPECT_EQ(optionOf(fd.get(), IPPROTO_TCP, TCP_KEEPCNT), 5);
    }
    for (const int seconds : {0, -1, 9 * 3600 + 1, std::numeric_limits<int>::max()}) {
        const auto set = kernel::setKeepAlive(fd.get(), std::chrono::seconds(seconds));
        EXPECT_TRUE(set.error().is(std::errc::invalid_argument)) << seconds;
    }
}

TEST_P(KernelTcp, TakeBufferSizes) {
    const UniqueFd fd = kernel::openStreamSocket(GetParam()).orThrow();
    EXPECT_TRUE(kernel::setSendBufferBytes(fd.get(), 10'000).ok());
    EXPECT_TRUE(kernel::setReceiveBufferBytes(fd.get(), 20'000).ok());
    EXPECT_EQ(optionOf(fd.get(), SOL_SOCKET, SO_SNDBUF), 20'000);
    EXPECT_EQ(optionOf(fd.get(), SOL_SOCKET, SO_RCVBUF), 40'000);
}

TEST(Kernel, SetsV6OnlyOnIpv6Alone) {
    const UniqueFd ipv4 = kernel::openStreamSocket(Family::ipv4).orThrow();
    EXPECT_EQ(kernel::setV6Only(ipv4.get(), true).error().context(), "setsockopt IPV6_V6ONLY");
    if (!kerneltest::hasIpv6()) GTEST_SKIP() << "no IPv6 on this machine";
    const UniqueFd ipv6 = kernel::openStreamSocket(Family::ipv6).orThrow();
    for (const bool on : {true, false}) {
        EXPECT_TRUE(kernel::setV6Only(ipv6.get(), on).ok());
        EXPECT_EQ(optionOf(ipv6.get(), IPPROTO_IPV6, IPV6_V6ONLY) != 0, on);
    }
}

TEST(Kernel, TakesNoDelayOnAUnixSocketAsGranted) {
    const UniqueFd fd = kernel::openStreamSocket(Family::unix_).orThrow();
    EXPECT_TRUE(kernel::setNoDelay(fd.get(), true).ok());
    EXPECT_TRUE(kernel::setNoDelay(-1, true).error().is(std::errc::bad_file_descriptor));
}

TEST(Kernel, TakesKeepAliveOnAUnixSocketAsGranted) {
    const UniqueFd fd = kernel::openStreamSocket(Family::unix_).orThrow();
    EXPECT_TRUE(kernel::setKeepAlive(fd.get(), std::chrono::seconds(1)).ok());
    const auto closed = kernel::setKeepAlive(-1, std::chrono::seconds(1));
    EXPECT_TRUE(closed.error().is(std::errc::bad_file_descriptor));
}

TEST(Kernel, ReportsAFullUnixBacklogAsAFailure) {
    const TemporaryFolder folder;
    const Listener listener(Family::unix_, folder, 0);
    std::vector<UniqueFd> clients;
    IoResult result;
    while (result.isDone() && clients.size() < 10) {
        clients.push_back(kernel::openStreamSocket(Family::unix_).orThrow());
        result = kernel::connect(clients.back().get(), listener.address());
    }
    EXPECT_EQ(result.status, IoStatus::failed);
    EXPECT_EQ(result.code, std::errc::resource_unavailable_try_again);
}

TEST(Kernel, ReportsAcceptingWithoutAFreeDescriptor) {
    const TemporaryFolder folder;
    const Listener listener(Family::ipv4, folder);
    const UniqueFd client = kernel::openStreamSocket(Family::ipv4).orThrow();
    ASSERT_TRUE(connectTo(client.get(), listener.address()).isDone());
    ASSERT_TRUE(waitFor(listener.fd(), POLLIN));

    const auto refused = [&] {
        const support::NoDescriptorLeft none;
        return kernel::accept(listener.fd());
    }();

    EXPECT_EQ(refused.result.status, IoStatus::failed);
    EXPECT_EQ(refused.result.code, std::errc::too_many_files_open);
    EXPECT_TRUE(listener.acceptOne());
}

TEST(Kernel, NamesTheCallThatFailed) {
    EXPECT_EQ(kernel::openStreamSocket(Family::none).error().context(), "socket");
    EXPECT_EQ(kernel::listen(-1, 1).error().context(), "listen");
    EXPECT_EQ(kernel::localAddress(-1).error().context(), "getsockname");
    EXPECT_EQ(kernel::peerAddress(-1).error().context(), "getpeername");
    EXPECT_EQ(kernel::shutdownWrite(-1).error().context(), "shutdown");
    EXPECT_EQ(kernel::setResetOnClose(-1).error().context(), "setsockopt SO_LINGER");
}

TEST(Kernel, FailsOnADescriptorThatIsNone) {
    std::array<Byte, enough> buffer;
    EXPECT_EQ(kernel::receive(-1, buffer).code, std::errc::bad_file_descriptor);
    EXPECT_EQ(kernel::send(-1, buffer).code, std::errc::bad_file_descriptor);
    EXPECT_EQ(kernel::sendPieces(-1, {}).code, std::errc::bad_file_descriptor);
    EXPECT_EQ(kernel::undeliveredBytes(-1), 0U);
    EXPECT_EQ(kernel::establishedFor(-1).count(), 0);
    EXPECT_EQ(kernel::accept(-1).result.code, std::errc::bad_file_descriptor);
    EXPECT_EQ(kernel::connectOutcome(-1).code, std::errc::bad_file_descriptor);
    EXPECT_EQ(kernel::connect(-1, SocketAddress::loopback4(1)).code,
              std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace nio
