// The socket files of Unix-domain listeners.
#include <nio/channel/ServerSocketChannel.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <barrier>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>

#include <nio/sys/handover/Handover.h>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using kerneltest::TemporaryFolder;
using Family = SocketAddress::Family;

bool isServed(const SocketAddress& address) {
    const UniqueFd client = kernel::openStreamSocket(address.family()).orThrow();
    return kerneltest::connectTo(client.get(), address).isDone();
}

class UnixListener : public testing::Test {
  protected:
    bool exists() const {
        struct stat status {};
        return ::lstat(path_.c_str(), &status) == 0;
    }
    unsigned mode() const {
        struct stat status {};
        EXPECT_EQ(::lstat(path_.c_str(), &status), 0);
        return status.st_mode & 0777;
    }

    TemporaryFolder folder_;
    std::string path_ = folder_.file("socket");
    SocketAddress address_ = SocketAddress::unixPath(path_).orThrow();
};

TEST_F(UnixListener, RemovesItsFileAtTheEnd) {
    {
        const ServerSocketChannel channel = ServerSocketChannel::open(address_).orThrow();
        EXPECT_TRUE(exists());
    }
    EXPECT_FALSE(exists());
}

TEST_F(UnixListener, RemovesItsFileAsSoonAsItIsClosed) {
    ServerSocketChannel channel = ServerSocketChannel::open(address_).orThrow();
    static_cast<SelectableChannel&>(channel).close();
    EXPECT_FALSE(exists());
}

TEST_F(UnixListener, LeavesTheFileOfItsSuccessor) {
    auto first =
        std::make_unique<ServerSocketChannel>(ServerSocketChannel::open(address_).orThrow());
    first->close();
    const ServerSocketChannel second = ServerSocketChannel::open(address_).orThrow();
    first.reset();
    EXPECT_TRUE(exists());
    EXPECT_TRUE(isServed(address_));
}

TEST_F(UnixListener, LeavesAnotherFileThatStandsInItsPlace) {
    ServerSocketChannel channel = ServerSocketChannel::open(address_).orThrow();
    const std::string kept = folder_.file("kept");
    std::filesystem::rename(path_, kept);  // its own one stays: no number is used again
    std::ofstream(path_) << "another file";
    static_cast<SelectableChannel&>(channel).close();
    EXPECT_TRUE(exists());
}

TEST_F(UnixListener, WhoseFileIsGoneEndsAllTheSame) {
    ServerSocketChannel channel = ServerSocketChannel::open(address_).orThrow();
    std::filesystem::remove(path_);
    static_cast<SelectableChannel&>(channel).close();
    EXPECT_FALSE(channel.isOpen());
}

TEST_F(UnixListener, KeepsItsFileWhenItIsMoved) {
    ServerSocketChannel channel = ServerSocketChannel::open(address_).orThrow();
    {
        const ServerSocketChannel moved(std::move(channel));
        EXPECT_TRUE(exists());
        channel.close();
        EXPECT_TRUE(exists()) << "nothing is left to close";
    }
    EXPECT_FALSE(exists());
}

TEST_F(UnixListener, ReplacesAStaleFile) {
    {
        const UniqueFd gone = kernel::openStreamSocket(Family::unix_).orThrow();
        kernel::bind(gone.get(), address_).orThrow();
    }
    ASSERT_TRUE(exists());
    const auto channel = ServerSocketChannel::open(address_);
    ASSERT_TRUE(channel) << channel.error().message();
    EXPECT_TRUE(isServed(address_));
}

TEST_F(UnixListener, IsNotTakenForStaleBeforeItListens) {
    UniqueFd lock = kernel::lockFile(path_ + ".nio-lock").orThrow();
    const UniqueFd starting = kernel::openStreamSocket(Family::unix_).orThrow();
    kernel::bind(starting.get(), address_).orThrow();
    EXPECT_TRUE(ServerSocketChannel::open(address_).error().is(std::errc::address_in_use));
    kernel::listen(starting.get(), 1).orThrow();
    lock.reset();
    EXPECT_TRUE(ServerSocketChannel::open(address_).error().is(std::errc::address_in_use));
    EXPECT_TRUE(isServed(address_));
}

TEST_F(UnixListener, IsOneOfTwoThatOpenAtOnce) {
    for (int round = 0; round < 200; ++round) {
        std::barrier together(2);
        std::optional<Result<ServerSocketChannel>> opened[2];
        const auto open = [&](int which) {
            together.arrive_and_wait();
            opened[which].emplace(ServerSocketChannel::open(address_));
        };
        std::thread other(open, 1);
        open(0);
        other.join();
        ASSERT_NE(opened[0]->ok(), opened[1]->ok()) << round;
        const auto& refused = opened[opened[0]->ok() ? 1 : 0];
        EXPECT_TRUE(refused->error().is(std::errc::address_in_use));
        EXPECT_TRUE(isServed(address_)) << round;
    }
}

TEST_F(UnixListener, LeavesNoLockFile) {
    const auto channel = ServerSocketChannel::open(address_).orThrow();
    EXPECT_FALSE(ServerSocketChannel::open(address_));
    const std::filesystem::directory_iterator files(std::filesystem::path(path_).parent_path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(UnixListener, OpensThoughItsLockCannotBeMade) {
    std::filesystem::create_symlink("/nowhere/at/all", path_ + ".nio-lock");
    const auto channel = ServerSocketChannel::open(address_).orThrow();
    EXPECT_TRUE(isServed(address_));
}

TEST_F(UnixListener, LeavesAFileAloneThatIsNoSocket) {
    std::ofstream(path_) << "precious";
    const auto channel = ServerSocketChannel::open(address_);
    ASSERT_FALSE(channel);
    EXPECT_TRUE(channel.error().is(std::errc::file_exists));
    std::string content;
    std::ifstream(path_) >> content;
    EXPECT_EQ(content, "precious");
}

TEST_F(UnixListener, LeavesALinkAloneAlsoOneThatLeadsNowhere) {
    std::filesystem::create_symlink(folder_.file("nowhere"), path_);
    const auto channel = ServerSocketChannel::open(address_);
    ASSERT_FALSE(channel);
    EXPECT_TRUE(channel.error().is(std::errc::file_exists));
    EXPECT_TRUE(exists());
}

TEST_F(UnixListener, TakesAListenerWhoseBacklogIsFullForAlive) {
    ListenOptions options;
    options.backlog = 0;
    const ServerSocketChannel first = ServerSocketChannel::open(address_, options).orThrow();
    std::vector<UniqueFd> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.push_back(kernel::openStreamSocket(Family::unix_).orThrow());
        (void)kernel::connect(waiting.back().get(), address_);
    }
    const auto second = ServerSocketChannel::open(address_);
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().is(std::errc::address_in_use));
    EXPECT_TRUE(exists());
}

TEST_F(UnixListener, SetsTheModeThatWasAskedFor) {
    for (const unsigned bits : {0600U, 0660U, 0666U}) {
        ListenOptions options;
        options.fileMode = bits;
        const ServerSocketChannel channel = ServerSocketChannel::open(address_, options).orThrow();
        EXPECT_EQ(mode(), bits);
    }
}

TEST_F(UnixListener, LeavesTheModeToTheUmaskOtherwise) {
    const mode_t before = ::umask(027);
    const ServerSocketChannel channel = ServerSocketChannel::open(address_).orThrow();
    ::umask(before);
    EXPECT_EQ(mode(), 0750U);
}

TEST_F(UnixListener, NamesAFolderThatIsNotThere) {
    const auto address = SocketAddress::unixPath(folder_.file("no/such")).orThrow();
    const auto channel = ServerSocketChannel::open(address);
    ASSERT_FALSE(channel);
    EXPECT_TRUE(channel.error().is(std::errc::no_such_file_or_directory));
    EXPECT_NE(channel.error().message().find("no/such"), std::string::npos);
}

TEST_F(UnixListener, KeepsItsFileWhenItIsClosedInTheWrongPlace) {
    support::Journal journal;
    support::TestDispatcher dispatcher;
    ServerSocketChannel& channel =
        dispatcher
            .add(std::make_unique<support::RecordingAcceptHandler>(
                     ServerSocketChannel::open(address_).orThrow(), "listener", journal),
                 Interest::accept)
            .channel();
    EXPECT_THROW(static_cast<SelectableChannel&>(channel).close(), WrongThreadError);
    EXPECT_TRUE(exists());
    EXPECT_TRUE(isServed(address_));
}

TEST_F(UnixListener, LeavesTheFileOfAnAdoptedListener) {
    const auto ours = ServerSocketChannel::open(address_).orThrow();
    ServerSocketChannel::adopt(kernel::duplicate(ours.fd()).orThrow()).orThrow().close();
    EXPECT_TRUE(exists());
    EXPECT_TRUE(isServed(address_));
}

}  // namespace
}  // namespace nio
