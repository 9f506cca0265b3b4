#include <nio/sys/LineSink.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <nio/base/Log.h>
#include <nio/sys/UniqueFd.h>

#include "support/ForkedProcess.h"
#include "support/FullPipe.h"

namespace {

using nio::LineSink;
using support::FullPipe;

constexpr const char* name = "standard error";

TEST(LineSink, WritesThePiecesOfALineTogether) {
    FullPipe pipe;
    (void)pipe.drain();
    LineSink sink(pipe.fd(), name);
    EXPECT_TRUE(sink.write({"one", "", ": ", "two", "\n"}));
    EXPECT_TRUE(sink.write({std::string(10'000, 'x'), "\n"}));
    EXPECT_EQ(pipe.drain(), "one: two\n" + std::string(10'000, 'x') + "\n");
    EXPECT_EQ(sink.dropped(), 0u);
}

// 100,000 lines that wait 50 ms each would take more than an hour.
TEST(LineSink, DropsLinesWhileNobodyReadsAndSaysHowMany) {
    FullPipe pipe;
    LineSink sink(pipe.fd(), name);
    for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(sink.write({"lost\n"}));
    EXPECT_EQ(pipe.drain(), "");
    EXPECT_TRUE(sink.write({"next\n"}));
    EXPECT_TRUE(sink.write({"another\n"}));
    EXPECT_EQ(pipe.drain(),
              "nio: 100000 log lines dropped: standard error was blocked\nnext\nanother\n");
    EXPECT_EQ(sink.dropped(), 100'000u);
}

TEST(LineSink, WaitsForASlowReaderAtTheEndOfAProgram) {
    FullPipe pipe;
    LineSink sink(pipe.fd(), nullptr);
    std::atomic<bool> isDropped = false;
    std::string read;
    std::jthread reader([&](const std::stop_token& stop) {
        isDropped.wait(false);
        while (!stop.stop_requested()) read += pipe.drain();
    });
    // Uses up what an ordinary line may wait.
    while (sink.write({"lost\n"})) {
    }
    isDropped = true;
    isDropped.notify_one();
    EXPECT_TRUE(sink.writeAtEnd({"last\n"}));
    EXPECT_TRUE(sink.writeAtEnd({"the very last\n"}));
    reader.request_stop();
    reader.join();
    EXPECT_EQ(read + pipe.drain(), "last\nthe very last\n");
}

TEST(LineSink, SaysWhatWasDroppedSinceItSaidSoLast) {
    FullPipe pipe;
    LineSink sink(pipe.fd(), name);
    (void)sink.write({"lost\n"});
    sink.tellDropped();
    (void)pipe.drain();
    sink.tellDropped();
    sink.tellDropped();
    EXPECT_EQ(pipe.drain(), "nio: 1 log line dropped: standard error was blocked\n");
}

TEST(LineSink, WithoutANameOnlyCounts) {
    FullPipe pipe;
    LineSink sink(pipe.fd(), nullptr);
    (void)sink.write({"lost\n"});
    (void)pipe.drain();
    EXPECT_TRUE(sink.write({"next\n"}));
    EXPECT_EQ(pipe.drain(), "next\n");
    EXPECT_EQ(sink.dropped(), 1u);
}

TEST(LineSink, BeginsANewLineAfterATornOne) {
    FullPipe pipe;
    (void)pipe.drain();
    LineSink sink(pipe.fd(), name);
    EXPECT_FALSE(sink.write({std::string(1'000'000, 'x'), "\n"}));
    const std::string torn = pipe.drain();
    EXPECT_EQ(torn.find_first_not_of('x'), std::string::npos);
    EXPECT_TRUE(sink.write({"next\n"}));
    EXPECT_EQ(pipe.drain(), "\nnio: 1 log line dropped: standard error was blocked\nnext\n");
}

TEST(LineSink, CountsLinesThatCannotBeWritten) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const nio::UniqueFd reader(ends[0]), writer(ends[1]);
    LineSink sink(writer.get(), name);
    const nio::UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    const nio::UniqueFd kept(::fcntl(writer.get(), F_DUPFD_CLOEXEC, 0));
    ASSERT_GE(::dup2(full.get(), writer.get()), 0);
    EXPECT_FALSE(sink.write({"lost\n"}));
    ASSERT_GE(::dup2(kept.get(), writer.get()), 0);
    EXPECT_TRUE(sink.write({"next\n"}));
    char text[128] = {};
    EXPECT_GT(::read(reader.get(), text, sizeof text), 0);
    EXPECT_STREQ(text, "nio: 1 log line dropped: standard error could not be written\nnext\n");
}

TEST(LineSink, MixesNoLinesOfThreads) {
    FullPipe pipe;
    (void)pipe.drain();
    LineSink sink(pipe.fd(), name);
    constexpr int lines = 1000;
    std::atomic<int> speaking{4};
    std::vector<std::thread> threads;
    for (const char letter : {'a', 'b', 'c', 'd'}) {
        threads.emplace_back([&, letter] {
            const std::string half(20, letter);
            for (int i = 0; i < lines; ++i) (void)sink.write({half, half, "\n"});
            --speaking;
        });
    }
    std::string text;
    while (speaking > 0) text += pipe.drain();
    for (std::thread& thread : threads) thread.join();
    text += pipe.drain();
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1) {
        if (text.compare(at, 5, "nio: ") == 0) continue;
        EXPECT_EQ(text.substr(at, end - at), std::string(40, text[at]));
    }
}

// A thread that waits for a blocked pipe all the time has the lock when the process forks.
TEST(LineSink, WritesInAProcessForkedDuringAWrite) {
    FullPipe blocked;
    FullPipe pipe;
    (void)pipe.drain();
    std::atomic<int> writes{0};
    std::atomic<bool> over{false};
    std::thread writer([&] {
        for (; !over; ++writes) {
            LineSink sink(blocked.fd(), nullptr);  // a new one waits its full time
            (void)sink.write({"lost\n"});
        }
    });
    while (writes == 0) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) {
        support::ForkedProcess child([&] {
            ::alarm(60);
            LineSink sink(pipe.fd(), nullptr);
            return sink.write({"child\n"}) ? 0 : 1;
        });
        EXPECT_EQ(child.wait(), 0);
        EXPECT_EQ(pipe.drain(), "child\n");
        if (HasFailure()) break;
    }
    over = true;
    writer.join();
}

// In a process of its own, whose standard error is blocked until just before it ends.
void endAfterDroppedLines() {
    FullPipe pipe;
    const int kept = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    ::dup2(pipe.fd(), STDERR_FILENO);
    nio::log(nio::LogLevel::warning, "lost");
    nio::log(nio::LogLevel::warning, "lost, too");
    ::dup2(kept, STDERR_FILENO);
    std::exit(0);
}

TEST(LineSinkDeathTest, SaysAtTheEndWhatWasDropped) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(endAfterDroppedLines(), testing::ExitedWithCode(0),
                "^nio: 2 log lines dropped: standard error was blocked\n$");
}

}  // namespace
