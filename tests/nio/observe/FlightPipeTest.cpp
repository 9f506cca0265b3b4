// A dump to a pipe without a reader: it is given up after a second, and nobody hangs. Signals and
// crashes come at any time; who writes may be a dispatcher.
#include <nio/observe/FlightDump.h>

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <nio/observe/FlightLines.h>

#include "support/FullPipe.h"
#include "support/TestDispatcher.h"

namespace {

using nio::FlightDump;
using nio::FlightLines;
using support::FullPipe;

// False: it had to be let go.
template <class F>
bool returns(FullPipe& pipe, F&& write) {
    std::atomic<bool> done{false};
    std::thread writer([&] {
        write();
        done = true;
    });
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    while (!done && nio::Clock::now() < end) std::this_thread::yield();
    const bool byItself = done;
    while (!done) (void)pipe.drain();
    writer.join();
    return byItself;
}

TEST(FlightPipe, ADumpThatNobodyReadsIsGivenUp) {
    support::TestDispatcher dispatcher("some");
    dispatcher.turns(200);
    FullPipe pipe;
    EXPECT_TRUE(returns(pipe, [&] { FlightDump::writeTo(pipe.fd(), "test"); }));
    EXPECT_EQ(pipe.drain(), "");
}

TEST(FlightPipe, WhatFollowsALineThatWasGivenUpIsNotTried) {
    FullPipe pipe;
    FlightLines lines(pipe.fd());
    EXPECT_TRUE(returns(pipe, [&] { lines << std::string(5000, 'x'); }));
    (void)pipe.drain();
    lines << "more\n";
    lines.flush();
    EXPECT_EQ(pipe.drain(), "") << "it would wait a second for each";
}

TEST(FlightPipe, ADispatcherThatWritesADumpGoesOn) {
    FullPipe pipe;
    support::TestDispatcher dispatcher("writes");
    EXPECT_TRUE(
        returns(pipe, [&] { dispatcher.inTurn([&] { FlightDump::writeTo(pipe.fd(), "test"); }); }));
    EXPECT_TRUE(dispatcher.turn());
}

void crashWithAFullStandardError() {
    const FullPipe pipe;
    FlightDump::install({});
    ::dup2(pipe.fd(), STDERR_FILENO);
    support::TestDispatcher dispatcher("crashed");
    dispatcher.inTurn([] { std::abort(); });
}

TEST(FlightPipeDeathTest, AProcessThatCrashesEnds) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(crashWithAFullStandardError(), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
