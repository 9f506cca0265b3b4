#include <nio/sys/Signals.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <nio/sys/UniqueFd.h>

#include "nio/sys/KernelTesting.h"

namespace {

using nio::UniqueFd;

TEST(OpenToAppend, LeavesErrnoAloneAlsoWhereThereIsNoSuchFile) {
    errno = EDOM;
    EXPECT_EQ(nio::kernel::openToAppend("/nowhere/at/all"), -1);
    EXPECT_EQ(errno, EDOM);
}

TEST(OpenToAppend, MakesAFileThatOthersCannotRead) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string file = folder.file("made");
    const UniqueFd made(nio::kernel::openToAppend(file.c_str()));
    struct stat status {};
    ASSERT_EQ(::fstat(made.get(), &status), 0);
    EXPECT_EQ(status.st_mode & 0137, 0U);
}

TEST(OpenToAppend, FollowsNoLink) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string file = folder.file("file");
    const std::string link = folder.file("link");
    ASSERT_EQ(::symlink(file.c_str(), link.c_str()), 0);
    EXPECT_EQ(nio::kernel::openToAppend(link.c_str()), -1);
    const UniqueFd made(nio::kernel::openToAppend(file.c_str()));
    EXPECT_EQ(nio::kernel::openToAppend(link.c_str()), -1);
}

TEST(OpenToAppend, DoesNotWaitForTheReaderOfAPipe) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(nio::kernel::openToAppend(pipe.c_str()), -1);
    const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const UniqueFd writer(nio::kernel::openToAppend(pipe.c_str()));
    EXPECT_TRUE(writer);
}

}  // namespace
