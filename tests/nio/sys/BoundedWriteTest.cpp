#include <nio/sys/LineSink.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include <nio/sys/UniqueFd.h>

#include "nio/sys/KernelTesting.h"
#include "support/FullPipe.h"
#include "support/RefusedCall.h"

namespace {

using nio::UniqueFd;
using nio::kernel::BoundedWrite;
using nio::kernel::writeWithin;
using support::FullPipe;

constexpr int longEnough = 20'000;

BoundedWrite write(int fd, const std::string& text, int milliseconds) {
    return writeWithin(fd, text.data(), text.size(), milliseconds);
}

TEST(BoundedWrite, WritesAllThatAPipeTakes) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]), writer(ends[1]);
    const BoundedWrite written = write(writer.get(), "hello", 0);
    EXPECT_EQ(written.bytes, 5u);
    EXPECT_FALSE(written.isBlocked);
    char text[8] = {};
    EXPECT_EQ(::read(reader.get(), text, sizeof text), 5);
    EXPECT_STREQ(text, "hello");
}

TEST(BoundedWrite, ReportsAFullPipeAsBlocked) {
    const FullPipe pipe;
    for (const int milliseconds : {0, 1}) {
        const BoundedWrite written = write(pipe.fd(), "hello", milliseconds);
        EXPECT_EQ(written.bytes, 0u);
        EXPECT_TRUE(written.isBlocked);
    }
}

TEST(BoundedWrite, WritesWhatFitsOfATextThatDoesNot) {
    FullPipe pipe;
    (void)pipe.drain();
    const std::string text(1'000'000, 'x');
    const BoundedWrite written = write(pipe.fd(), text, 0);
    EXPECT_TRUE(written.isBlocked);
    EXPECT_GE(written.bytes, 4096u);
    EXPECT_EQ(pipe.drain().size(), written.bytes);
}

TEST(BoundedWrite, WaitsForAReader) {
    FullPipe pipe;
    std::thread reader([&] { (void)pipe.drain(); });
    const BoundedWrite written = write(pipe.fd(), "hello", longEnough);
    reader.join();
    EXPECT_EQ(written.bytes, 5u);
}

TEST(BoundedWrite, TellsAFailureFromABlockedPipe) {
    const UniqueFd readOnly(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    constexpr int notOpen = 1 << 20;
    for (const int fd : {notOpen, readOnly.get(), full.get()}) {
        const BoundedWrite written = write(fd, "x", longEnough);
        EXPECT_EQ(written.bytes, 0u);
        EXPECT_FALSE(written.isBlocked);
    }
}

TEST(BoundedWrite, NeedsNoPollAsInASandbox) {
    FullPipe pipe;
    support::withRefusedCall(SYS_poll, EPERM, [&] {
        EXPECT_TRUE(write(pipe.fd(), "hello", longEnough).isBlocked);
        (void)pipe.drain();
        EXPECT_EQ(write(pipe.fd(), "hello", longEnough).bytes, 5u);
    });
    EXPECT_EQ(pipe.drain(), "hello");
}

TEST(BoundedWrite, LeavesErrnoAlone) {
    errno = EDOM;
    (void)write(-1, "x", 0);
    EXPECT_EQ(errno, EDOM);
}

TEST(BoundedWrite, AppendsToAFile) {
    const nio::kerneltest::TemporaryFolder folder;
    const std::string path = folder.file("log");
    const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const std::string text(100'000, 'x');
    EXPECT_EQ(write(file.get(), text, 0).bytes, text.size());
    EXPECT_EQ(::lseek(file.get(), 0, SEEK_END), 100'000);
}

// A terminal that its user has stopped (Ctrl-S), or whose emulator does not read any more.
class Terminal {
  public:
    Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
        EXPECT_EQ(::grantpt(master_.get()), 0);
        EXPECT_EQ(::unlockpt(master_.get()), 0);
        slave_ = UniqueFd(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    }
    int fd() const { return slave_.get(); }

  private:
    UniqueFd master_;
    UniqueFd slave_;
};

TEST(BoundedWrite, ReportsAStoppedTerminalAsBlocked) {
    const Terminal terminal;
    ASSERT_EQ(::tcflow(terminal.fd(), TCOOFF), 0);
    EXPECT_TRUE(write(terminal.fd(), "hello\n", 0).isBlocked);
    ASSERT_EQ(::tcflow(terminal.fd(), TCOON), 0);
    EXPECT_EQ(write(terminal.fd(), "hello\n", 0).bytes, 6u);
}

TEST(BoundedWrite, FillsATerminalThatNobodyReads) {
    const Terminal terminal;
    const std::string line = std::string(1000, 'x') + "\n";
    BoundedWrite written;
    for (int i = 0; i < 10'000 && !written.isBlocked; ++i) written = write(terminal.fd(), line, 0);
    EXPECT_TRUE(written.isBlocked);
}

}  // namespace
