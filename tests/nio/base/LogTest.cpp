#include <nio/base/Log.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/FailingMemory.h"

namespace nio {
namespace {

// What the tests after these see is what they would have seen before: lines on standard error.
class Log : public testing::Test {
  protected:
    void TearDown() override { setLogger(logToStandardError); }
};

TEST_F(Log, GivesEachLineToTheLoggerThatWasSet) {
    std::vector<std::pair<LogLevel, std::string>> lines;
    setLogger([&](LogLevel level, std::string_view line) { lines.emplace_back(level, line); });
    log(LogLevel::info, "one");
    log(LogLevel::error, "two");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], std::pair(LogLevel::info, std::string("one")));
    EXPECT_EQ(lines[1], std::pair(LogLevel::error, std::string("two")));
}

TEST_F(Log, ForgetsTheLoggerThatWasReplaced) {
    int first = 0;
    int second = 0;
    setLogger([&](LogLevel, std::string_view) { ++first; });
    setLogger([&](LogLevel, std::string_view) { ++second; });
    log(LogLevel::info, "line");
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1);
}

TEST_F(Log, IsSilentWithAnEmptyLogger) {
    int lines = 0;
    setLogger([&](LogLevel, std::string_view) { ++lines; });
    setLogger({});
    log(LogLevel::error, "line");
    EXPECT_EQ(lines, 0);
}

TEST_F(Log, LetsALoggerReplaceItself) {
    int lines = 0;
    setLogger([&](LogLevel, std::string_view) {
        ++lines;
        setLogger({});
    });
    log(LogLevel::info, "first");
    log(LogLevel::info, "second");
    EXPECT_EQ(lines, 1);
}

TEST_F(Log, LosesNoLineOfConcurrentThreads) {
    constexpr int threads = 4;
    constexpr int linesEach = 1000;
    std::atomic<int> lines{0};
    setLogger([&](LogLevel, std::string_view) { ++lines; });
    std::vector<std::thread> speakers;
    for (int i = 0; i < threads; ++i) {
        speakers.emplace_back([] {
            for (int line = 0; line < linesEach; ++line) log(LogLevel::debug, "line");
        });
    }
    for (std::thread& speaker : speakers) speaker.join();
    EXPECT_EQ(lines, threads * linesEach);
}

TEST(LogLevel, HasANameForEach) {
    EXPECT_EQ(toString(LogLevel::debug), "debug");
    EXPECT_EQ(toString(LogLevel::info), "info");
    EXPECT_EQ(toString(LogLevel::warning), "warning");
    EXPECT_EQ(toString(LogLevel::error), "error");
}

// In a process of its own, where nobody has set a logger before.
TEST(LogDeathTest, WritesToStandardErrorByDefault) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto speak = [] {
        log(LogLevel::warning, "a line");
        std::exit(0);
    };
    EXPECT_EXIT(speak(), testing::ExitedWithCode(0), "^nio: warning: a line\n$");
}

TEST_F(Log, ALoggerThatThrowsLosesNoLine) {
    setLogger([](LogLevel, std::string_view) { throw std::bad_alloc(); });
    testing::internal::CaptureStderr();
    EXPECT_NO_THROW(log(LogLevel::error, "out of it"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "nio: error: out of it\n");
}

// In a process of its own: the first line of all.
TEST_F(Log, SpeaksWithoutMemory) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const auto speak = [] {
        const auto noMemory = support::FailingMemory::from(0);
        log(LogLevel::error, "no memory");
        std::_Exit(0);
    };
    EXPECT_EXIT(speak(), testing::ExitedWithCode(0), "nio: error: no memory");
}

}  // namespace
}  // namespace nio
