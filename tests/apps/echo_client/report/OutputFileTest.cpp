#include "echo_client/report/OutputFile.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "nio/sys/KernelTesting.h"

namespace load {
namespace {

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int bytesIn(int fd) {
    int bytes = 0;
    EXPECT_EQ(::ioctl(fd, FIONREAD, &bytes), 0);
    return bytes;
}

class OutputFileTest : public testing::Test {
  protected:
    std::string path(const std::string& name) const { return folder_.file(name); }

  private:
    const nio::kerneltest::TemporaryFolder folder_;
};

TEST_F(OutputFileTest, DiscardsItsOwnFile) {
    OutputFile file = OutputFile::open(path("out")).orThrow();
    file.write("half");
    file.discard();
    EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(OutputFileTest, EmptiesAFileThatWasThereBefore) {
    std::ofstream(path("out")) << "earlier";
    OutputFile file = OutputFile::open(path("out")).orThrow();
    file.discard();
    EXPECT_TRUE(std::filesystem::exists(path("out")));
    EXPECT_EQ(contentOf(path("out")), "");
}

TEST_F(OutputFileTest, LeavesNoFileThatNothingWasWrittenTo) {
    std::ofstream(path("earlier")) << "kept";
    {
        OutputFile moved = OutputFile::open(path("new")).orThrow();
        const OutputFile unwritten = std::move(moved);
        const OutputFile earlier = OutputFile::open(path("earlier")).orThrow();
        OutputFile written = OutputFile::open(path("written")).orThrow();
        written.write("text");
    }
    EXPECT_FALSE(std::filesystem::exists(path("new")));
    EXPECT_EQ(contentOf(path("earlier")), "kept");
    EXPECT_EQ(contentOf(path("written")), "text");
}

TEST_F(OutputFileTest, WritesNothingBehindHalfALine) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    const nio::UniqueFd reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const auto capacity = static_cast<std::size_t>(::fcntl(reader.get(), F_GETPIPE_SZ));
    OutputFile file = OutputFile::open(path("fifo")).orThrow();
    file.writeSoon(std::string(capacity + 1, 'x'));
    EXPECT_FALSE(file.good());
    std::string block(capacity, '\0');
    EXPECT_EQ(::read(reader.get(), block.data(), block.size()), static_cast<ssize_t>(capacity));
    file.writeSoon("the next line\n");
    EXPECT_EQ(bytesIn(reader.get()), 0);
}

TEST_F(OutputFileTest, DiscardsNoFileThatTookItsName) {
    OutputFile file = OutputFile::open(path("out")).orThrow();
    file.write("half");
    std::filesystem::rename(path("out"), path("moved"));
    std::ofstream(path("out")) << "of another process";
    file.discard();
    EXPECT_EQ(contentOf(path("out")), "of another process");
    EXPECT_EQ(contentOf(path("moved")), "") << "emptied, for its name is not known";
}

// --- a signal while it writes ---------------------------------------------------------------

std::atomic<int> signalsTaken{0};

void takeSignal(int) {
    ++signalsTaken;
}

// Without SA_RESTART: a system call that the signal interrupts fails with EINTR.
class SignalTaken {
  public:
    SignalTaken() {
        struct sigaction action {};
        action.sa_handler = takeSignal;
        ::sigaction(SIGUSR2, &action, &before_);
    }
    ~SignalTaken() { ::sigaction(SIGUSR2, &before_, nullptr); }
    SignalTaken(const SignalTaken&) = delete;
    SignalTaken& operator=(const SignalTaken&) = delete;

  private:
    struct sigaction before_ {};
};

char stateOf(pid_t thread) {
    const std::string stat = contentOf("/proc/self/task/" + std::to_string(thread) + "/stat");
    const std::size_t nameEnds = stat.rfind(')');
    return nameEnds + 2 < stat.size() ? stat[nameEnds + 2] : '?';
}

TEST_F(OutputFileTest, WritesAllWhateverSignalComes) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    const nio::UniqueFd reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const int capacity = ::fcntl(reader.get(), F_GETPIPE_SZ);
    OutputFile file = OutputFile::open(path("fifo")).orThrow();
    const std::string text(3 * static_cast<std::size_t>(capacity), 'x');
    const SignalTaken signalTaken;
    std::atomic<pid_t> id{0};
    std::atomic<bool> done{false};
    std::thread writer([&] {
        id = static_cast<pid_t>(::syscall(SYS_gettid));
        file.write(text);
        done = true;
    });
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    const auto await = [&](const auto& condition) {
        while (!condition() && !done && nio::Clock::now() < end) std::this_thread::yield();
    };
    // The first one finds a part written, the others nothing.
    for (int i = 0; i < 3; ++i) {
        await([&] { return bytesIn(reader.get()) == capacity && stateOf(id) == 'S'; });
        const int before = signalsTaken;
        ::pthread_kill(writer.native_handle(), SIGUSR2);
        await([&] { return signalsTaken > before; });
    }
    std::size_t got = 0;
    std::string block(65536, '\0');
    while (!done || bytesIn(reader.get()) > 0) {
        const ssize_t count = ::read(reader.get(), block.data(), block.size());
        count > 0 ? static_cast<void>(got += static_cast<std::size_t>(count))
                  : std::this_thread::yield();
    }
    writer.join();
    EXPECT_TRUE(file.good());
    EXPECT_EQ(got, text.size());
}

}  // namespace
}  // namespace load
