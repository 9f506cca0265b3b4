#include "echo_client/LoadReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LoadOptions someOptions() {
    LoadOptions options;
    options.connections = 3;
    options.messageBytes = 500;
    return options;
}

// 2,000 echoes of 500 bytes in 2 s on 3 connections.
LoadResult someResult() {
    LoadResult result;
    result.server = "127.0.0.1:7007";
    result.selector = "epoll";
    result.dispatchers = 1;
    result.total.covered = 2s;
    for (int i = 0; i < 2000; ++i) result.total.latency.record(20us);
    for (int i = 1; i <= 3; ++i) result.total.connect.record(i * 100us);
    return result;
}

LoadReport reportOf(const LoadResult& result) {
    return {someOptions(), result};
}

TEST(LoadReport, SaysRateLatencyAndConnections) {
    const LoadReport report = reportOf(someResult());
    EXPECT_EQ(report.toText(),
              "echo-client: 3 connections to 127.0.0.1:7007, 500 bytes, pipeline 1, raw "
              "(1 selector thread, epoll)\n"
              "measured      2.00 s\n"
              "echoes/s      1000\n"
              "MB/s          0.50 each way\n"
              "latency       min 20.0 µs  p50 20.0 µs  p90 20.0 µs  p99 20.0 µs  p99.9 20.0 µs"
              "  max 20.0 µs\n"
              "connect       min 100 µs  p50 200 µs  p99 300 µs  max 300 µs\n"
              "connections   3 of 3\n"
              "errors        none\n");
    EXPECT_EQ(report.exitCode(), 0);
    EXPECT_THAT(report.complaint(), IsEmpty());
}

TEST(LoadReport, SaysWhenNothingWasMeasured) {
    LoadResult result;
    result.interrupted = true;
    const LoadReport report = reportOf(result);
    EXPECT_THAT(report.toText(), HasSubstr("measured      0.00 s, interrupted\n"));
    EXPECT_THAT(report.toText(), HasSubstr("latency       none\n"));
    EXPECT_EQ(report.exitCode(), 1);
    EXPECT_EQ(report.complaint(), "no echo came back in the measured time");
}

TEST(LoadReport, EndsWithOneAfterAnyErrorAndCountsThemByKind) {
    LoadResult result = someResult();
    LoadErrors& errors = result.total.errors;
    errors.connectFailed(nio::Error(std::errc::connection_refused, "connect to 127.0.0.1:1"));
    errors.connectFailed(nio::Error(std::errc::connection_refused, "connect to 127.0.0.1:1"));
    errors.ended(nio::Error(std::errc::connection_reset, "receive"));
    errors.ended(nio::Error(std::errc::broken_pipe, "send"));
    errors.ended(nio::Error(std::errc::timed_out, "receive"));
    errors.closedEarly = 4;
    errors.timedOut = 5;
    const LoadReport report = reportOf(result);
    EXPECT_THAT(report.toText(),
                HasSubstr("errors        2 connect: Connection refused, 2 reset, 4 closed early, "
                          "5 timed out, 1 receive: Connection timed out\n"));
    EXPECT_EQ(report.exitCode(), 1);
    EXPECT_EQ(report.complaint(), "connect to 127.0.0.1:1: Connection refused");
    EXPECT_FALSE(report.isTotalFailure());
}

TEST(LoadReport, EndsWithOneForEachKindOfErrorAlone) {
    const std::vector<void (*)(LoadErrors&)> kinds{
        [](LoadErrors& errors) { errors.connectFailed(nio::Error(std::errc::timed_out)); },
        [](LoadErrors& errors) { errors.ended(nio::Error(std::errc::connection_reset)); },
        [](LoadErrors& errors) { errors.ended(nio::Error(nio::Errc::handlerFailed)); },
        [](LoadErrors& errors) { errors.closedEarly = 1; },
        [](LoadErrors& errors) { errors.timedOut = 1; }};
    for (const auto& make : kinds) {
        LoadResult result = someResult();
        make(result.total.errors);
        EXPECT_EQ(reportOf(result).exitCode(), 1);
        EXPECT_EQ(result.total.errors.total(), 1u);
        EXPECT_THAT(reportOf(result).complaint(), Not(IsEmpty()));
    }
}

TEST(LoadReport, EndsWithThreeAfterAWrongAnswerWhateverElseThereWas) {
    LoadResult result = someResult();
    result.total.errors.closedEarly = 1;
    result.total.errors.wrongAnswered("connection 0, message 0: byte 1 is 0x00 instead of 0x01");
    const LoadReport report = reportOf(result);
    EXPECT_EQ(report.exitCode(), 3);
    EXPECT_EQ(report.complaint(),
              "wrong answer: connection 0, message 0: byte 1 is 0x00 instead of 0x01");
}

TEST(LoadReport, TakesBytesThatBreakTheFramingForAWrongAnswer) {
    for (const nio::Errc code : {nio::Errc::malformedPacket, nio::Errc::packetTooLong}) {
        LoadResult result = someResult();
        result.total.errors.ended(nio::Error(code));
        EXPECT_EQ(reportOf(result).exitCode(), 3);
    }
}

TEST(LoadReport, IsATotalFailureWithoutAnyConnection) {
    LoadResult result;
    result.total.errors.connectFailed(nio::Error(std::errc::connection_refused));
    EXPECT_TRUE(reportOf(result).isTotalFailure());
}

TEST(LoadReport, SumsTheErrorsOfSeveralWorkers) {
    LoadErrors sum;
    LoadErrors one;
    one.connectFailed(nio::Error(std::errc::connection_refused, "first"));
    one.ended(nio::Error(nio::Errc::outputLimit));
    LoadErrors other = one;
    other.wrongAnswered("that");
    other.connectExample = "second";
    sum.merge(one);
    sum.merge(other);
    EXPECT_EQ(sum.connectsFailed(), 2u);
    EXPECT_EQ(sum.total(), 5u);
    EXPECT_EQ(sum.connectExample, "first: Connection refused");
    EXPECT_EQ(sum.wrongAnswerExample, "that");
}

TEST(LoadReport, SaysTheSameAsJson) {
    LoadResult result = someResult();
    result.total.errors.connectFailed(nio::Error(std::errc::connection_refused));
    const auto json = nlohmann::json::parse(reportOf(result).toJson());
    EXPECT_EQ(json["server"], "127.0.0.1:7007");
    EXPECT_EQ(json["framing"], "raw");
    EXPECT_EQ(json["messageBytes"], 500);
    EXPECT_EQ(json["echoes"], 2000);
    EXPECT_EQ(json["echoesPerSecond"], 1000.0);
    EXPECT_EQ(json["megabytesPerSecond"], 0.5);
    EXPECT_EQ(json["seconds"], 2.0);
    for (const char* name : {"min", "p50", "p90", "p99", "p99.9", "max"}) {
        EXPECT_EQ(json["latencyMicroseconds"][name], 20.0) << name;
    }
    EXPECT_EQ(json["connectMicroseconds"]["max"], 300.0);
    EXPECT_EQ(json["connections"]["asked"], 3);
    EXPECT_EQ(json["connections"]["made"], 3);
    EXPECT_EQ(json["errors"]["connect"]["Connection refused"], 1);
    EXPECT_EQ(json["errors"]["wrongAnswer"], 0);
    EXPECT_EQ(json["exitCode"], 1);
}

}  // namespace
}  // namespace load
