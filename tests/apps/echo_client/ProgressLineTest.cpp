#include "echo_client/ProgressLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "echo_client/Units.h"

namespace load {
namespace {

using namespace std::chrono_literals;

Progress halfDone() {
    Progress progress;
    progress.connecting = false;
    progress.percent = 50;
    progress.interval = 2s;
    progress.messageBytes = 1000;
    for (int i = 0; i < 3000; ++i) progress.latency.record(40us);
    return progress;
}

TEST(ProgressLine, IsALineOfItsOwnEachTimeWhereThereIsNoTerminal) {
    std::ostringstream out;
    {
        ProgressLine line(out, false);
        line.show(halfDone());
        line.show(halfDone());
    }
    const std::string one =
        "echo-client: 50 %  1500 echoes/s  1.50 MB/s  p50 40.0 µs  p99 40.0 µs\n";
    EXPECT_EQ(out.str(), one + one);
}

TEST(ProgressLine, IsRewrittenInPlaceOnATerminalAndGoneInTheEnd) {
    std::ostringstream out;
    {
        ProgressLine line(out, true);
        line.show(halfDone());
    }
    EXPECT_EQ(out.str(),
              "\r\x1b[K50 %  1500 echoes/s  1.50 MB/s  p50 40.0 µs  p99 40.0 µs"
              "\r\x1b[K");
}

TEST(ProgressLine, CountsConnectionsUntilTheyAreAllThere) {
    Progress progress;
    progress.made = 17;
    progress.asked = 100;
    EXPECT_EQ(progress.toString(), "connecting: 17 of 100 connections");
}

TEST(ProgressLine, TellsErrorsAtOnce) {
    Progress progress = halfDone();
    progress.errors = 3;
    EXPECT_THAT(progress.toString(), testing::EndsWith("  3 errors"));
}

TEST(Units, KeepThreeDigits) {
    EXPECT_EQ(withUnit(0ns), "0 ns");
    EXPECT_EQ(withUnit(999ns), "999 ns");
    EXPECT_EQ(withUnit(1us), "1.00 µs");
    EXPECT_EQ(withUnit(31'250ns), "31.2 µs");
    EXPECT_EQ(withUnit(123'456ns), "123 µs");
    EXPECT_EQ(withUnit(999'600ns), "1.00 ms");
    EXPECT_EQ(withUnit(2500ms), "2.50 s");
    EXPECT_EQ(withUnit(3600s), "3600 s");
}

}  // namespace
}  // namespace load
