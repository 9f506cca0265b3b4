// Sockets that come from another process.
#include <nio/sys/handover/Handover.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "support/ForkedProcess.h"
#include "support/NoDescriptorLeft.h"

namespace nio {
namespace {

using Family = SocketAddress::Family;
using testing::HasSubstr;

bool hasFlag(int fd, int get, int flag) {
    return (::fcntl(fd, get) & flag) != 0;
}

bool isOurs(int fd) {
    return hasFlag(fd, F_GETFD, FD_CLOEXEC) && hasFlag(fd, F_GETFL, O_NONBLOCK);
}

void makeForeign(int fd) {
    ::fcntl(fd, F_SETFD, 0);
    ::fcntl(fd, F_SETFL, 0);
}

struct Ends {
    explicit Ends(int type = SOCK_STREAM) {
        int both[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, both), 0);
        a = UniqueFd(both[0]);
        b = UniqueFd(both[1]);
    }
    UniqueFd a;
    UniqueFd b;
};

struct Pipe {
    Pipe() {
        int both[2] = {-1, -1};
        EXPECT_EQ(::pipe(both), 0);
        out = UniqueFd(both[0]);
        in = UniqueFd(both[1]);
    }
    UniqueFd out;
    UniqueFd in;
};

void expectRefused(const Result<void>& result, std::errc code, const char* why) {
    ASSERT_FALSE(result.ok()) << why;
    EXPECT_TRUE(result.error().is(code)) << result.error().message();
    EXPECT_THAT(result.error().message(), HasSubstr(why));
}

TEST(Handover, AdoptsAListenerOfEachFamily) {
    const kerneltest::TemporaryFolder folder;
    for (const Family family : {Family::ipv4, Family::unix_}) {
        const kerneltest::Listener listener(family, folder);
        makeForeign(listener.fd());
        kernel::adoptListener(listener.fd()).orThrow();
        EXPECT_TRUE(isOurs(listener.fd()));
    }
}

TEST(Handover, AdoptsAConnectionOfEachFamily) {
    for (const Family family : {Family::ipv4, Family::unix_}) {
        const kerneltest::ConnectedPair pair(family);
        makeForeign(pair.server.get());
        kernel::adoptConnection(pair.server.get()).orThrow();
        EXPECT_TRUE(isOurs(pair.server.get()));
    }
}

TEST(Handover, RefusesWhatIsNoListener) {
    const Pipe pipe;
    const Ends pair, datagrams(SOCK_DGRAM);
    const UniqueFd idle = kernel::openStreamSocket(Family::ipv4).orThrow();
    expectRefused(kernel::adoptListener(pipe.in.get()), std::errc::not_a_socket, "not a socket");
    expectRefused(kernel::adoptListener(datagrams.a.get()), std::errc::wrong_protocol_type,
                  "stream");
    expectRefused(kernel::adoptListener(pair.a.get()), std::errc::invalid_argument,
                  "not a listening");
    expectRefused(kernel::adoptListener(idle.get()), std::errc::invalid_argument,
                  "not a listening");
    expectRefused(kernel::adoptListener(-1), std::errc::bad_file_descriptor, "-1 is not open");
}

TEST(Handover, RefusesWhatIsNoConnection) {
    const kerneltest::TemporaryFolder folder;
    const kerneltest::Listener listener(Family::ipv4, folder);
    const Pipe pipe;
    const UniqueFd idle = kernel::openStreamSocket(Family::ipv4).orThrow();
    expectRefused(kernel::adoptConnection(listener.fd()), std::errc::invalid_argument, "listening");
    expectRefused(kernel::adoptConnection(pipe.in.get()), std::errc::not_a_socket, "not a socket");
    expectRefused(kernel::adoptConnection(idle.get()), std::errc::not_connected, "not connected");
}

// --- LISTEN_FDS: in a process of its own, where descriptors 3 and 4 are free to be used ---------

void setVariables(const std::string& process, const char* count) {
    ::setenv("LISTEN_PID", process.c_str(), 1);
    ::setenv("LISTEN_FDS", count, 1);
    ::setenv("LISTEN_FDNAMES", "a:b", 1);
}

bool isAnySet() {
    return std::getenv("LISTEN_PID") != nullptr || std::getenv("LISTEN_FDS") != nullptr ||
           std::getenv("LISTEN_FDNAMES") != nullptr;
}

// As a service manager passes them.
void passTwo() {
    ::dup2(0, 3);
    ::dup2(0, 4);
}

TEST(ListenFds, GivesThePassedDescriptorsOnce) {
    support::ForkedProcess process([] {
        passTwo();
        setVariables(std::to_string(::getpid()), "2");
        auto passed = listenFds();
        if (!passed || passed.value().size() != 2) return 1;
        const bool inOrder = passed.value()[0].get() == 3 && passed.value()[1].get() == 4;
        const bool areOurs = hasFlag(3, F_GETFD, FD_CLOEXEC) && hasFlag(4, F_GETFD, FD_CLOEXEC);
        if (!inOrder || !areOurs || isAnySet()) return 2;
        const auto again = listenFds();
        return again && again.value().empty() ? 0 : 3;
    });
    EXPECT_EQ(process.wait(), 0);
}

TEST(ListenFds, LeavesThoseOfAnotherProcessAlone) {
    support::ForkedProcess process([] {
        passTwo();
        setVariables(std::to_string(::getppid()), "2");
        const auto passed = listenFds();
        if (!passed || !passed.value().empty() || isAnySet()) return 1;
        return hasFlag(3, F_GETFD, FD_CLOEXEC) ? 2 : 0;
    });
    EXPECT_EQ(process.wait(), 0);
}

TEST(ListenFds, IsEmptyWithoutTheVariables) {
    support::ForkedProcess process([] {
        ::unsetenv("LISTEN_PID");
        const auto passed = listenFds();
        return passed && passed.value().empty() ? 0 : 1;
    });
    EXPECT_EQ(process.wait(), 0);
}

TEST(ListenFds, RefusesMalformedVariables) {
    for (const char* count : {"", "two", "-1", "2x", "99999999999999999999"}) {
        support::ForkedProcess process([count] {
            setVariables(std::to_string(::getpid()), count);
            const auto passed = listenFds();
            if (passed || !passed.error().is(std::errc::invalid_argument)) return 1;
            return passed.error().message().starts_with(std::string("LISTEN_FDS=") + count) ? 0 : 2;
        });
        EXPECT_EQ(process.wait(), 0) << count;
    }
}

TEST(ListenFds, RefusesADescriptorThatIsNotOpen) {
    support::ForkedProcess process([] {
        passTwo();
        ::close(4);
        setVariables(std::to_string(::getpid()), "2");
        const auto passed = listenFds();
        if (passed || !passed.error().is(std::errc::bad_file_descriptor)) return 1;
        return passed.error().message().find("descriptor 4 is not open") == std::string::npos ? 2
                                                                                              : 0;
    });
    EXPECT_EQ(process.wait(), 0);
}

// --- SCM_RIGHTS -----------------------------------------------------------------------------

std::array<Byte, 16> room;

TEST(Handover, SendsDescriptorsWithBytes) {
    const Ends link;
    Pipe first, second;
    const std::array<int, 2> sent{first.in.get(), second.in.get()};
    ASSERT_TRUE(kernel::sendDescriptors(link.a.get(), asBytes("take"), sent).isDone());
    const auto received = kernel::receiveDescriptors(link.b.get(), room);
    ASSERT_TRUE(received.result.isDone());
    EXPECT_EQ(asText({room.data(), received.result.bytes}), "take");
    ASSERT_EQ(received.descriptors.size(), 2u);
    for (const UniqueFd& fd : received.descriptors) {
        EXPECT_TRUE(hasFlag(fd.get(), F_GETFD, FD_CLOEXEC));
    }
    char letter = 0;
    ASSERT_EQ(::write(received.descriptors[1].get(), "x", 1), 1);
    ASSERT_EQ(::read(second.out.get(), &letter, 1), 1);
    EXPECT_EQ(letter, 'x');
}

TEST(Handover, ReceivesBytesWithoutDescriptors) {
    Ends link;
    EXPECT_EQ(kernel::receiveDescriptors(link.b.get(), room).result.status, IoStatus::wouldBlock);
    ASSERT_TRUE(kernel::send(link.a.get(), asBytes("x")).isDone());
    const auto received = kernel::receiveDescriptors(link.b.get(), room);
    EXPECT_EQ(received.result.bytes, 1u);
    EXPECT_TRUE(received.descriptors.empty());
    link.a.reset();
    EXPECT_EQ(kernel::receiveDescriptors(link.b.get(), room).result.status, IoStatus::closed);
}

TEST(Handover, SendsTheMostDescriptorsAndNoMore) {
    const Ends link;
    std::vector<int> many(254, 0);
    const auto tooMany = kernel::sendDescriptors(link.a.get(), asBytes("x"), many);
    EXPECT_EQ(tooMany.code, std::errc::invalid_argument);
    EXPECT_EQ(kernel::sendDescriptors(link.a.get(), {}, {many.data(), 1}).code,
              std::errc::invalid_argument);
    many.pop_back();
    ASSERT_TRUE(kernel::sendDescriptors(link.a.get(), asBytes("x"), many).isDone());
    EXPECT_EQ(kernel::receiveDescriptors(link.b.get(), room).descriptors.size(), 253u);
}

TEST(Handover, ReceivesTheMostDescriptorsWithCredentials) {
    const Ends link;
    const int on = 1;
    ASSERT_EQ(::setsockopt(link.b.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on), 0);
    const std::vector<int> many(253, 0);
    ASSERT_TRUE(kernel::sendDescriptors(link.a.get(), asBytes("x"), many).isDone());
    const auto received = kernel::receiveDescriptors(link.b.get(), room);
    EXPECT_TRUE(received.result.isDone());
    EXPECT_EQ(received.descriptors.size(), 253u);
}

TEST(Handover, RefusesToReceiveIntoNothing) {
    const Ends link;
    ASSERT_TRUE(kernel::send(link.a.get(), asBytes("x")).isDone());
    const auto refused = kernel::receiveDescriptors(link.b.get(), {});
    EXPECT_EQ(refused.result.code, std::errc::invalid_argument);
    EXPECT_TRUE(kernel::receiveDescriptors(link.b.get(), room).result.isDone());
}

TEST(Handover, FailsWhereNoDescriptorIsLeft) {
    const Ends link;
    const int sent = 0;
    ASSERT_TRUE(kernel::sendDescriptors(link.a.get(), asBytes("x"), {&sent, 1}).isDone());
    const support::NoDescriptorLeft none;
    const auto received = kernel::receiveDescriptors(link.b.get(), room);
    EXPECT_EQ(received.result.code, std::errc::message_size);
    EXPECT_TRUE(received.descriptors.empty());
}

TEST(Handover, DuplicatesADescriptor) {
    const Pipe pipe;
    const UniqueFd copy = kernel::duplicate(pipe.in.get()).orThrow();
    EXPECT_NE(copy.get(), pipe.in.get());
    EXPECT_TRUE(hasFlag(copy.get(), F_GETFD, FD_CLOEXEC));
    EXPECT_TRUE(kernel::duplicate(-1).error().is(std::errc::bad_file_descriptor));
}

}  // namespace
}  // namespace nio
