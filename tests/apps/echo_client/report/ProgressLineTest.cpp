#include "echo_client/report/ProgressLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "apps/echo_client/report/SomeSample.h"
#include "echo_client/figures/Units.h"

namespace load {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, IsALineOfItsOwnEachSecond) {
    std::ostringstream out;
    {
        ProgressLine line(out);
        EXPECT_EQ(line.cadence(), 1s);
        line.observed(halfDone());
        line.observed(halfDone());
        line.over();
    }
    const std::string one =
        "echo-client: 50 %  1500 echoes/s  1.50 MB/s  p50 40.0 µs  p99 40.0 µs\n";
    EXPECT_EQ(out.str(), one + one);
}

TEST(ProgressLine, CountsConnectionsUntilTheyAreAllThere) {
    EXPECT_EQ(ProgressLine::toString(stillConnecting()), "connecting: 17 of 100 connections");
}

TEST(ProgressLine, KnowsNoLatencyWithoutAnAnswer) {
    Sample sample = halfDone();
    sample.answered = sample.bytes = 0;
    sample.latency = {};
    EXPECT_EQ(ProgressLine::toString(sample), "50 %  0 echoes/s  0.00 MB/s  no answers");
}

TEST(ProgressLine, TellsErrorsAtOnce) {
    Sample sample = halfDone();
    sample.errors = 3;
    EXPECT_THAT(ProgressLine::toString(sample), testing::EndsWith("  3 errors"));
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
