#include "echo_client/report/LoadReport.h"

#include <gtest/gtest.h>

#include "apps/echo_client/report/SomeReport.h"

namespace load {
namespace {

constexpr const char* header =
    "seconds,echoesPerSecond,megabytesPerSecond,p50Microseconds,p90Microseconds,p99Microseconds,"
    "p99.9Microseconds,maxMicroseconds,errors,connectionsDown,phase\r\n";

TEST(CsvReport, IsAHeaderAndALineForEachPoint) {
    LoadReport report = someReport();
    report.result.series = {somePoint(), somePoint()};
    EXPECT_EQ(toCsv(report),
              std::string(header) +
                  "1.500,1000.0,0.500000,20.000,21.000,22.000,23.500,24.000,2,1,measuring\r\n"
                  "1.500,1000.0,0.500000,20.000,21.000,22.000,23.500,24.000,2,1,measuring\r\n");
}

TEST(CsvReport, LeavesTheLatenciesEmptyWhereThereWasNoAnswer) {
    LoadReport report = someReport();
    report.result.series = {Point()};
    EXPECT_EQ(toCsv(report), std::string(header) + "0.000,0.0,0.000000,,,,,,0,0,warming up\r\n");
}

TEST(CsvReport, SaysWhatIsBeyondTheHistogramsRange) {
    LoadReport report = someReport();
    Sample sample;
    sample.latency.recordTimes(std::chrono::seconds(70), 3);
    report.result.series = {Point::of(sample)};
    EXPECT_EQ(toCsv(report),
              std::string(header) +
                  "0.000,0.0,0.000000,> 60 s,> 60 s,> 60 s,> 60 s,70000000.000,0,0,connecting\r\n");
}

TEST(CsvReport, IsTheHeaderAloneWithoutACourse) {
    EXPECT_EQ(toCsv(someReport()), header);
}

}  // namespace
}  // namespace load
