#include "echo_client/report/LoadReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/echo_client/report/SomeReport.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

json jsonOf(const LoadReport& report) {
    return json::parse(toJson(report));
}

TEST(JsonReport, SaysWhatIsBeyondTheHistogramsRange) {
    LoadReport report = someReport();
    report.result.total.latency.recordTimes(70s, 200);
    Sample sample;
    sample.latency.record(70s);
    report.result.series = {Point::of(sample)};
    report.repeats = {report.result, report.result};
    const json found = jsonOf(report);
    EXPECT_NEAR(found["latencyMicroseconds"]["p50"].get<double>(), 20.0, 0.1);
    EXPECT_EQ(found["latencyMicroseconds"]["p99"], "> 60 s");
    EXPECT_EQ(found["latencyMicroseconds"]["max"], 70e6);
    EXPECT_EQ(found["series"][0]["p50"], "> 60 s");
    EXPECT_EQ(found["repeats"]["p99Microseconds"]["median"], "> 60 s");
    EXPECT_EQ(found["histogram"]["buckets"][1], (json{70'000'000'000, 200}));
}

TEST(JsonReport, SaysWhatTheTextSays) {
    LoadReport report = someReport();
    report.result.total.errors.connectFailed(nio::Error(std::errc::connection_refused));
    report.verdict.exitCode = exitIo;
    const json found = jsonOf(report);
    EXPECT_EQ(found["server"], "127.0.0.1:7007");
    EXPECT_EQ(found["framing"], "raw");
    EXPECT_EQ(found["messageBytes"], 500);
    EXPECT_EQ(found["size"], "500");
    EXPECT_EQ(found["pipeline"], 1);
    EXPECT_EQ(found["threads"], 1);
    EXPECT_EQ(found["selector"], "epoll");
    EXPECT_EQ(found["seconds"], 2.0);
    EXPECT_EQ(found["echoes"], 2000);
    EXPECT_EQ(found["echoesPerSecond"], 1000.0);
    EXPECT_EQ(found["megabytesPerSecond"], 0.5);
    for (const char* name : {"min", "mean", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"}) {
        EXPECT_EQ(found["latencyMicroseconds"][name], 20.0) << name;
    }
    EXPECT_EQ(found["connectMicroseconds"]["max"], 300.0);
    EXPECT_EQ(found["connections"]["asked"], 3);
    EXPECT_EQ(found["connections"]["made"], 3);
    EXPECT_EQ(found["errors"]["connect"]["Connection refused"], 1);
    EXPECT_EQ(found["errors"]["wrongAnswer"], 0);
    EXPECT_EQ(found["exitCode"], 1);
    EXPECT_EQ(found["began"], "2026-01-31T12:00:00Z");
    EXPECT_EQ(found["commandLine"], (std::vector<std::string>{"--connections", "3"}));
    EXPECT_EQ(found["seed"], 1);
    EXPECT_EQ(found["dispatchers"][0]["name"], "load-0");
    EXPECT_EQ(found["dispatchers"][0]["busy"], 0.12);
}

TEST(JsonReport, KnowsAClosedLoopFromAnOpenOne) {
    const json closed = jsonOf(someReport());
    EXPECT_EQ(closed["loop"], "closed");
    EXPECT_EQ(closed["rate"]["offered"], nullptr);
    EXPECT_EQ(closed["rate"]["achieved"], 1000.0);
    EXPECT_EQ(closed["serviceMicroseconds"], nullptr);
    EXPECT_EQ(closed["serviceHistogram"], nullptr);

    const json open = jsonOf(someOpenReport());
    EXPECT_EQ(open["loop"], "open");
    EXPECT_EQ(open["rate"]["offered"], 1000.0);
    EXPECT_EQ(open["rate"]["achieved"], 1000.0);
    EXPECT_EQ(open["rate"]["arrivals"], "constant");
    EXPECT_EQ(open["rate"]["stages"], nullptr);
    EXPECT_EQ(open["serviceMicroseconds"]["p99"], 15.0);
    EXPECT_EQ(open["latenessMicroseconds"]["p99"], 5.0);
    EXPECT_EQ(open["serviceHistogram"]["buckets"], json::parse("[[15007,2000]]"));
}

TEST(JsonReport, SumsWrongAnswersAndCountsTheirKinds) {
    LoadReport report = someReport();
    LoadErrors& errors = report.result.total.errors;
    errors.lost = 1;
    errors.duplicated = 2;
    errors.reordered = 3;
    errors.corrupted = 4;
    const json found = jsonOf(report)["errors"];
    EXPECT_EQ(found["lost"], 1);
    EXPECT_EQ(found["duplicated"], 2);
    EXPECT_EQ(found["reordered"], 3);
    EXPECT_EQ(found["corrupted"], 4);
    EXPECT_EQ(found["wrongAnswer"], 10);
}

TEST(JsonReport, WarnsThatTheGeneratorWasLate) {
    LoadReport report = someOpenReport();
    EXPECT_EQ(jsonOf(report)["warning"], "");
    report.result.dispatchers[0].busy = 0.95;
    EXPECT_EQ(jsonOf(report)["valid"], true);
    EXPECT_EQ(jsonOf(report)["warning"], "load-0 was 95 % busy");
}

TEST(JsonReport, NamesNoSizeOfADialoguesMessages) {
    LoadReport report = someReport();
    report.options.dialogue =
        Dialogue{{{Template::parse("a").orThrow(), Expectation::parse("b").orThrow()}}};
    EXPECT_EQ(jsonOf(report)["messageBytes"], nullptr);
    EXPECT_EQ(jsonOf(report)["size"], nullptr);
}

TEST(JsonReport, ListsOutages) {
    LoadReport report = someOpenReport();
    report.result.total.outages.add({std::chrono::seconds(2), std::chrono::seconds(5), 3, 4, 40});
    EXPECT_EQ(jsonOf(report)["outages"],
              json::parse(R"([{"fromSeconds": 2.0, "seconds": 3.0, "connections": 3, "lost": 4,
                               "sentLate": 40}])"));
}

TEST(JsonReport, IsInvalidWhereItCannotTell) {
    LoadReport report = someReport();
    report.verdict.exitCode = exitCannotTell;
    report.verdict.complaint = "the generator stood still for 2.10 s; requirement missed: p99<2ms";
    EXPECT_EQ(jsonOf(report)["valid"], false);
    EXPECT_EQ(jsonOf(report)["invalidBecause"], report.verdict.complaint);
    report.verdict.checks = {{"p99<2ms", "p99 = 9.00 ms", false, false}};
    EXPECT_EQ(jsonOf(report)["requirements"][0]["met"], nullptr);
    report.verdict.exitCode = exitRequirementMissed;
    EXPECT_EQ(jsonOf(report)["valid"], true);
}

TEST(JsonReport, SaysThatARunWasInterruptedWhicheverItWas) {
    LoadReport report = someReport();
    EXPECT_EQ(jsonOf(report)["interrupted"], false);
    report.interrupted = true;
    EXPECT_EQ(jsonOf(report)["interrupted"], true);
}

TEST(JsonReport, GivesEachPointOfTheCourse) {
    LoadReport report = someReport();
    report.result.series = {Point(), somePoint()};
    EXPECT_EQ(jsonOf(report)["series"][1],
              json::parse(R"({"at": 1.5, "perSecond": 1000.0, "megabytesPerSecond": 0.5,
                              "p50": 20.0, "p90": 21.0, "p99": 22.0, "p99.9": 23.5, "max": 24.0,
                              "errors": 2, "connectionsDown": 1, "phase": "measuring"})"));
    EXPECT_EQ(jsonOf(report)["series"].size(), 2u);
}

TEST(JsonReport, HasNoLatencyWithoutAnAnswer) {
    LoadReport report = someOpenReport();
    report.result.series = {Point()};
    report.result.total = {};
    const json found = jsonOf(report);
    for (const char* name : {"p50", "p90", "p99", "p99.9", "max"}) {
        EXPECT_EQ(found["series"][0].at(name), nullptr) << name;
    }
    for (const char* times : {"latency", "service", "lateness", "connect"}) {
        const json& of = found.at(times + std::string("Microseconds"));
        EXPECT_EQ(of.size(), 9u);
        for (const auto& [name, value] : of.items()) EXPECT_EQ(value, nullptr) << times << name;
    }
}

TEST(JsonReport, GivesTheBucketsThatAreNotEmpty) {
    LoadReport report = someReport();
    report.result.total.latency.record(5ns);
    EXPECT_EQ(jsonOf(report)["histogram"], json::parse(R"({"unit": "ns", "significantDigits": 3,
                              "buckets": [[5, 1], [20015, 2000]]})"));
    EXPECT_EQ(jsonOf(report)["connectHistogram"]["buckets"].size(), 3u);
}

TEST(JsonReport, GivesRequirementsRunsAndSteps) {
    LoadReport report = someReport();
    report.verdict.checks = {{"p99<2ms", "p99 = 20.0 µs", true}};
    report.search = {{2000, 1400, "p99 = 900 µs", false, "rate missed"}};
    EXPECT_EQ(jsonOf(report)["repeats"], nullptr);
    report.repeats = {report.result, report.result};
    const json found = jsonOf(report);
    EXPECT_EQ(found["requirements"][0]["requirement"], "p99<2ms");
    EXPECT_EQ(found["requirements"][0]["met"], true);
    EXPECT_EQ(found["search"][0]["obstacle"], "rate missed");
    EXPECT_EQ(found["search"][0]["rate"], 2000.0);
    EXPECT_EQ(found["repeats"]["echoesPerSecond"]["median"], 1000.0);
    EXPECT_EQ(found["repeats"]["p99Microseconds"]["high"], 20.0);
    EXPECT_EQ(found["repeats"]["runs"].size(), 2u);
}

TEST(JsonReport, LeavesRunsWithoutAnAnswerOutOfTheMedianLatency) {
    LoadReport report = someReport();
    LoadResult silent = report.result;
    silent.total = {};
    report.repeats = {report.result, silent, silent};
    const json some = jsonOf(report)["repeats"];
    EXPECT_EQ(some["echoesPerSecond"]["median"], 0.0);
    EXPECT_EQ(some["p99Microseconds"]["low"], 20.0);
    report.repeats = {silent, silent};
    EXPECT_EQ(jsonOf(report)["repeats"]["p99Microseconds"], nullptr);
}

TEST(JsonReport, TellsWhatTheServersProcessUsed) {
    LoadReport report = someReport();
    EXPECT_EQ(jsonOf(report)["serverProcess"], nullptr);
    report.options.serverPid = 42;
    report.result.serverUse = someServerUse();
    EXPECT_EQ(jsonOf(report)["serverProcess"], json::parse(R"({
        "pid": 42, "seconds": 1.0, "cpuSeconds": 0.5, "cpuMicrosecondsPerEcho": 500.0,
        "userMicrosecondsPerEcho": 125.0, "systemMicrosecondsPerEcho": 375.0, "threads": 3,
        "residentKib": {"before": 100, "after": 300},
        "privateDirtyKib": {"before": 10, "after": 30}})"));
}

TEST(JsonReport, CallsMemoryThatCouldNotBeReadUnknownNotNone) {
    LoadReport report = someReport();
    report.result.serverUse = someServerUse();
    report.result.serverUse->to.residentKib.reset();
    EXPECT_EQ(jsonOf(report)["serverProcess"]["residentKib"],
              (json{{"before", 100}, {"after", nullptr}}));
}

TEST(JsonReport, TellsOfTheHost) {
    LoadReport report = someReport();
    report.host.kernel = "Linux 6.1.0";
    report.host.cpus = 2;
    EXPECT_EQ(jsonOf(report)["host"]["kernel"], "Linux 6.1.0");
    EXPECT_EQ(jsonOf(report)["host"]["cpus"], 2);
}

TEST(JsonReport, StaysJsonWhenTheCommandLineIsNoUtf8) {
    LoadReport report = someReport();
    report.options.arguments = {"--unix", "/tmp/\xff"};
    EXPECT_EQ(jsonOf(report)["commandLine"][1], "/tmp/\xef\xbf\xbd");
}

}  // namespace
}  // namespace load
