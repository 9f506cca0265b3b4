#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nio/sys/Kernel.h>

#include "KernelTesting.h"
#include "support/RefusedCall.h"

namespace nio {
namespace {

using kernel::SocketFile;
using kerneltest::Family;
using kerneltest::Listener;
using kerneltest::TemporaryFolder;

TEST(KernelSocketFiles, AreToldFromOtherFiles) {
    const TemporaryFolder folder;
    EXPECT_EQ(kernel::inspectSocketFile(folder.file("nothing")), SocketFile::absent);
    EXPECT_EQ(kernel::inspectSocketFile(folder.file("no/folder")), SocketFile::absent);

    std::ofstream(folder.file("plain")) << "precious";
    EXPECT_EQ(kernel::inspectSocketFile(folder.file("plain")), SocketFile::somethingElse);
    EXPECT_EQ(kernel::inspectSocketFile(folder.file("")), SocketFile::somethingElse);

    const Listener listener(Family::unix_, folder);
    EXPECT_EQ(kernel::inspectSocketFile(listener.address().path()), SocketFile::socket);

    std::filesystem::create_symlink(listener.address().path(), folder.file("link"));
    EXPECT_EQ(kernel::inspectSocketFile(folder.file("link")), SocketFile::somethingElse);
}

TEST(KernelSocketFiles, StayWhenTheirListenerGoesAndThenRefuse) {
    const TemporaryFolder folder;
    Listener listener(Family::unix_, folder);
    const SocketAddress address = listener.address();
    listener.close();
    EXPECT_EQ(kernel::inspectSocketFile(address.path()), SocketFile::socket);

    const UniqueFd client = kernel::openStreamSocket(Family::unix_).orThrow();
    EXPECT_EQ(kernel::connect(client.get(), address).code, std::errc::connection_refused);
    EXPECT_TRUE(kernel::bind(client.get(), address).error().is(std::errc::address_in_use));

    ASSERT_TRUE(kernel::removeFile(address.path()).ok());
    EXPECT_EQ(kernel::inspectSocketFile(address.path()), SocketFile::absent);
    EXPECT_EQ(kernel::connect(client.get(), address).code, std::errc::no_such_file_or_directory);
    EXPECT_TRUE(kernel::bind(client.get(), address).ok());
}

TEST(KernelSocketFiles, TakeModeBits) {
    const TemporaryFolder folder;
    const Listener listener(Family::unix_, folder);
    const std::string path = listener.address().path();
    for (const unsigned mode : {0600u, 0666u}) {
        ASSERT_TRUE(kernel::setFileMode(path, mode).ok());
        EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(path).permissions()), mode);
    }
}

TEST(KernelSocketFiles, AreTheOnlyOnesThatTakeModeBits) {
    const TemporaryFolder folder;
    const std::string plain = folder.file("plain"), link = folder.file("link");
    std::ofstream(plain) << "precious";
    std::filesystem::permissions(plain, std::filesystem::perms(0600));
    std::filesystem::create_symlink(plain, link);
    for (const std::string& path : {plain, link}) {
        EXPECT_TRUE(kernel::setFileMode(path, 0666).error().is(std::errc::invalid_argument));
        EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(plain).permissions()), 0600u);
    }
}

TEST(KernelLockFile, IsOnesAtATimeAndMayBeRemoved) {
    const TemporaryFolder folder;
    const std::string path = folder.file("lock");
    UniqueFd first = kernel::lockFile(path).orThrow();
    EXPECT_TRUE(kernel::lockFile(path).error().is(std::errc::operation_would_block));
    kernel::removeFile(path).orThrow();
    const UniqueFd second = kernel::lockFile(path).orThrow();
    EXPECT_TRUE(kernel::lockFile(path).error().is(std::errc::operation_would_block));
    first.reset();
    EXPECT_TRUE(kernel::lockFile(path).error().is(std::errc::operation_would_block));
}

TEST(KernelLockFile, FollowsNoLink) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink(folder.file("elsewhere"), folder.file("lock"));
    EXPECT_FALSE(kernel::lockFile(folder.file("lock")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("elsewhere")));
}

TEST(KernelSocketFiles, AreIdentifiedByWhatTheyAreNotByTheirName) {
    const TemporaryFolder folder;
    const std::string one = folder.file("one"), other = folder.file("other");
    EXPECT_FALSE(kernel::identifyFile(one));
    std::ofstream{one}.flush();
    std::ofstream{other}.flush();
    const auto identity = kernel::identifyFile(one);
    ASSERT_TRUE(identity);
    EXPECT_NE(identity, kernel::identifyFile(other));
    EXPECT_NE(identity, kernel::identifyFile("/proc/self"));
    std::filesystem::rename(one, folder.file("renamed"));
    EXPECT_EQ(identity, kernel::identifyFile(folder.file("renamed")));
}

TEST(KernelSocketFiles, BindAClientToo) {
    const TemporaryFolder folder;
    const SocketAddress source = SocketAddress::unixPath(folder.file("client")).orThrow();
    const UniqueFd client = kernel::openStreamSocket(SocketAddress::Family::unix_).orThrow();
    kernel::bindSource(client.get(), source).orThrow();
    EXPECT_EQ(kernel::localAddress(client.get()).orThrow(), source);
}

TEST(KernelSocketFiles, AreNamedInErrors) {
    const TemporaryFolder folder;
    const std::string path = folder.file("nothing");
    const auto removed = kernel::removeFile(path);
    EXPECT_TRUE(removed.error().is(std::errc::no_such_file_or_directory));
    EXPECT_EQ(removed.error().context(), "unlink " + path);
    EXPECT_EQ(kernel::setFileMode(path, 0600).error().context(), "chmod " + path);
}

TEST(KernelDescriptors, HaveTheSoftLimitOfTheProcess) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(kernel::descriptorLimit(), before.rlim_cur);
    const rlimit lower{before.rlim_cur - 1, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
    EXPECT_EQ(kernel::descriptorLimit(), before.rlim_cur - 1);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(KernelDescriptors, HaveTheUsualLimitWhereItIsASecret) {
    for (const int error : {EPERM, ENOSYS}) {
        support::withRefusedCall(SYS_prlimit64, error,
                                 [] { EXPECT_EQ(kernel::descriptorLimit(), 1024u); });
    }
}

TEST(KernelResolve, TakesNumbersAsTheyAre) {
    EXPECT_EQ(kernel::resolve("127.0.0.1", 80).orThrow(),
              std::vector{SocketAddress::loopback4(80)});
    EXPECT_EQ(kernel::resolve("::1", 80).orThrow(), std::vector{SocketAddress::loopback6(80)});
}

TEST(KernelResolve, FindsTheLoopbackByItsNameOnceEach) {
    const auto addresses = kernel::resolve("localhost", 7007).orThrow();
    ASSERT_FALSE(addresses.empty());
    for (const SocketAddress& address : addresses) {
        EXPECT_TRUE(address == SocketAddress::loopback4(7007) ||
                    address == SocketAddress::loopback6(7007))
            << address.toString();
        EXPECT_EQ(std::count(addresses.begin(), addresses.end(), address), 1);
    }
}

TEST(KernelResolve, TakesNoNameForItsBeginning) {
    const auto addresses = kernel::resolve(std::string("127.0.0.1\0.example", 18), 80);
    ASSERT_FALSE(addresses.ok());
    EXPECT_TRUE(addresses.error().is(Errc::nameNotFound)) << addresses.error().message();
}

TEST(KernelResolve, NamesWhatItDidNotFind) {
    const std::string tooLong = std::string(70, 'x') + ".invalid";
    const auto addresses = kernel::resolve(tooLong, 80);
    ASSERT_FALSE(addresses.ok());
    EXPECT_TRUE(addresses.error().is(Errc::nameNotFound)) << addresses.error().message();
    EXPECT_EQ(addresses.error().context(), "getaddrinfo " + tooLong);
}

}  // namespace
}  // namespace nio
