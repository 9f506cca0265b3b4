#include "echo_client/report/LoadReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "apps/echo_client/report/SomeReport.h"
#include "echo_client/report/Words.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

std::vector<std::size_t> widthsOf(const std::string& text) {
    std::vector<std::size_t> widths;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) widths.push_back(columnsOf(line));
    return widths;
}

TEST(TextReport, SaysRateLatencyAndConnectionsOfAClosedLoop) {
    EXPECT_EQ(toText(someReport()),
              "echo-client: 3 connections to 127.0.0.1:7007, 500 bytes, pipeline 1, raw (1\n"
              "              dispatcher, epoll)\n"
              "closed loop: each connection waits for its answer before it sends again;\n"
              "             percentiles hide server stalls (use --rate to see them)\n"
              "measured      2.00 s\n"
              "echoes/s      1000\n"
              "MB/s          0.50 each way\n"
              "              min      p50      p90      p99      p99.9    max\n"
              "latency       20.0 µs  20.0 µs  20.0 µs  20.0 µs  20.0 µs  20.0 µs\n"
              "connect       100 µs   200 µs   300 µs   300 µs   300 µs   300 µs\n"
              "connections   3 of 3\n"
              "busy          load-0 12 %\n"
              "errors        none\n");
}

TEST(TextReport, SaysWhatIsBeyondTheHistogramsRange) {
    LoadReport report = someReport();
    report.result.total.latency.recordTimes(70s, 500);
    report.repeats = {report.result, report.result};
    const std::string text = toText(report);
    EXPECT_THAT(text, HasSubstr("> 60 s   > 60 s   > 60 s   70.0 s\n"));
    EXPECT_THAT(text, HasSubstr("p99       median > 60 s, > 60 s to > 60 s with "));
}

TEST(TextReport, SaysWhatTheServersProcessUsed) {
    LoadReport report = someReport();
    report.result.serverUse = someServerUse();
    EXPECT_THAT(toText(report), HasSubstr("server        500.000 µs of CPU for each echo, 25 % of "
                                          "it in user mode\n"));
}

TEST(TextReport, TellsTheThreeTimesOfAnOpenLoopApart) {
    const std::string text = toText(someOpenReport());
    EXPECT_THAT(text,
                HasSubstr("open loop: 1000/s planned, constant arrivals; messages are sent on "
                          "schedule\n"));
    EXPECT_THAT(text, HasSubstr("planned       1000/s, 100.00 % achieved\n"));
    EXPECT_THAT(text, HasSubstr("latency       20.0 µs"));
    EXPECT_THAT(text, HasSubstr("              from the planned time: what a user waits\n"
                                "service       15.0 µs"));
    EXPECT_THAT(text, HasSubstr("              from the actual send: what the server took\n"
                                "lateness      5.00 µs"));
    EXPECT_THAT(text, HasSubstr("              how late the generator sent\n"));
    EXPECT_THAT(text, Not(AnyOf(HasSubstr("pipeline full"), HasSubstr("unsent"),
                                HasSubstr("offline"), HasSubstr("warning"))));
}

TEST(TextReport, ShowsTheStagesOfARate) {
    LoadReport report = someOpenReport();
    report.options.rate = RateCurve::parseStages("10s:1k,30s:5k").value();
    report.options.arrivals = Arrivals::poisson;
    EXPECT_THAT(toText(report), HasSubstr("1000/s planned on average (" +
                                          report.options.rate->toString() + "), poisson arrivals"));
}

TEST(TextReport, TellsWhatWasSentLateAndNeverSent) {
    LoadReport report = someOpenReport();
    report.result.total.held = 1;
    report.result.total.unsent = 20;
    EXPECT_THAT(toText(report), HasSubstr("pipeline full 1 message sent late: --pipeline messages "
                                          "were in flight\n"
                                          "unsent        20 messages planned and never sent\n"));
}

TEST(TextReport, TellsOutagesAndWhatTheyDelayed) {
    LoadReport report = someOpenReport();
    report.result.total.offline = 40;
    report.result.total.outages.add({2s, 3s, 3, 5, 40});
    report.result.total.outages.add({4s, 5s, 1, 0, 0});
    EXPECT_THAT(toText(report),
                HasSubstr("offline       40 messages sent late: their connection was down\n"));
    EXPECT_THAT(toText(report),
                HasSubstr("outage        from 2.00 s for 1.00 s, 3 connections: 5 messages "
                          "unanswered, 40\n"
                          "              sent late\n"
                          "              from 4.00 s for 1.00 s, 1 connection: 0 messages "
                          "unanswered"));
}

TEST(TextReport, SaysThatMessagesWereNotSent) {
    LoadReport report = someReport();
    report.options.messages = 2001;
    report.result.total.sent = 2000;
    EXPECT_THAT(toText(report), HasSubstr("messages      2000 of 2001\n"));
    report.result.total.sent = 2001;
    EXPECT_THAT(toText(report), Not(HasSubstr("messages  ")));
}

TEST(TextReport, SaysWhenNothingWasMeasured) {
    LoadReport report;
    report.result.interrupted = true;
    const std::string text = toText(report);
    EXPECT_THAT(text, HasSubstr("measured      0.00 s, interrupted\n"));
    EXPECT_THAT(text, HasSubstr("latency       none\n"));
    EXPECT_THAT(text, Not(HasSubstr("busy")));
}

TEST(TextReport, CountsErrorsByKind) {
    LoadReport report = someReport();
    report.result.total.errors.corrupted = 2;
    report.result.total.errors.closedEarly = 4;
    EXPECT_THAT(toText(report), HasSubstr("errors        2 corrupted, 4 closed early\n"));
}

TEST(TextReport, CountsConnectionsThatWereMadeAnew) {
    LoadReport report = someReport();
    report.result.total.connect.recordTimes(1ms, 167);
    EXPECT_THAT(toText(report), HasSubstr("connections   170 opened, 3 concurrent\n"));
}

TEST(TextReport, WarnsThatTheGeneratorWasLate) {
    LoadReport report = someOpenReport();
    report.result.dispatchers = {{"load-0", 0.5}, {"load-1", 0.97}};
    const std::string text = toText(report);
    EXPECT_THAT(text, HasSubstr("busy          load-0 50 %, load-1 97 %\n"));
    EXPECT_THAT(text, HasSubstr("warning       load-1 was 97 % busy\n"));
}

TEST(TextReport, SaysThatItCannotTellWhereTheExitCodeDoes) {
    LoadReport report = someReport();
    report.verdict.exitCode = exitCannotTell;
    report.verdict.complaint = "cannot tell: the generator was late";
    report.verdict.checks = {{"p99<2ms", "p99 = 9.00 ms", false, false}};
    EXPECT_THAT(toText(report), HasSubstr("p99<2ms  unknown p99 = 9.00 ms\n"
                                          "verdict       cannot tell: the generator was late\n"));
}

TEST(TextReport, WarnsOfABusyClientInAClosedLoop) {
    LoadReport report = someReport();
    report.result.dispatchers = {{"load-0", 0.95}};
    const std::string text = toText(report);
    EXPECT_THAT(text, HasSubstr("warning       load-0 was 95 % busy: "));
}

TEST(TextReport, ListsRequirementsInColumns) {
    LoadReport report = someReport();
    report.verdict.checks = {{"p99<2ms", "p99 = 1.20 ms", true}, {"errors=0", "errors = 3", false}};
    EXPECT_THAT(toText(report), HasSubstr("required      p99<2ms   met     p99 = 1.20 ms\n"
                                          "              errors=0  missed  errors = 3\n"));
}

TEST(TextReport, GivesTheMedianOfRepeatedRunsAndEachOfThem) {
    LoadReport report = someReport();
    report.repeats = {report.result, report.result, report.result};
    report.repeats[1].total.latency.recordTimes(1ms, 200);
    report.repeats[1].total.inTime += 200;
    const std::string text = toText(report);
    EXPECT_THAT(text, HasSubstr("repeats       3 runs; above: that of median throughput\n"
                                "              echoes/s  median 1000, 1000 to 1100 with 75 % "
                                "confidence\n"
                                "              p99       median 20.0 µs, 20.0 µs to 1.00 ms with "
                                "75 % confidence\n"));
    EXPECT_THAT(text,
                HasSubstr("                2:       1100 echoes/s  p50 20.0 µs  p99 1.00 ms\n"));
}

TEST(TextReport, LeavesRunsWithoutAnAnswerOutOfTheMedianLatency) {
    LoadReport report = someReport();
    LoadResult silent = report.result;
    silent.total = {};
    report.repeats = {report.result, silent, silent};
    EXPECT_THAT(toText(report), HasSubstr("p99       median 20.0 µs, 20.0 µs to 20.0 µs with 0 % "
                                          "confidence\n"));
    report.repeats = {silent, silent};
    EXPECT_THAT(toText(report), HasSubstr("              p99       none\n"));
}

TEST(TextReport, ShowsThePathOfASearch) {
    LoadReport report = someOpenReport();
    report.options.findMax = Requirement::parse("p99<1ms").value();
    report.search = {{1000, 999, "p99 = 200 µs", true, ""},
                     {2000, 1400, "p99 = 900 µs", false, "rate missed"}};
    EXPECT_THAT(
        toText(report),
        HasSubstr("find-max      p99<1ms: up to 1000/s\n"
                  "                 1000/s planned      999/s achieved  p99 = 200 µs  met\n"
                  "                 2000/s planned     1400/s achieved  p99 = 900 µs  missed "
                  "(rate\n"
                  "              missed)\n"));
}

TEST(TextReport, SaysHowManyMessagesHaveNoTime) {
    LoadReport report = someReport();
    EXPECT_THAT(toText(report), Not(HasSubstr("unanswered")));
    report.result.total.unanswered = 1;
    EXPECT_THAT(toText(report),
                HasSubstr("\nunanswered    1 message measured, not included in these "
                          "times\n"));
}

TEST(TextReport, SaysThatThereWouldHaveBeenMoreRuns) {
    LoadReport report = someOpenReport();
    report.interrupted = true;
    report.repeats = {report.result};
    EXPECT_THAT(toText(report), HasSubstr("repeats       1 run, interrupted; above: that of"));
    report.repeats.clear();
    report.options.findMax = Requirement::parse("p99<1ms").value();
    report.search = {{1000, 999, "p99 = 200 µs", true, ""}};
    EXPECT_THAT(toText(report), HasSubstr("p99<1ms: up to 1000/s, interrupted\n"));
}

TEST(TextReport, SaysWhenASearchFoundNoRate) {
    LoadReport report = someOpenReport();
    report.options.findMax = Requirement::parse("p99<1us").value();
    report.search = {{10, 10, "p99 = 20.0 µs", false, ""}};
    EXPECT_THAT(toText(report), HasSubstr("find-max      p99<1us: missed at every rate\n"));
    report.search[0].generatorsFault = true;
    EXPECT_THAT(toText(report), HasSubstr("find-max      p99<1us: cannot tell\n"));
}

TEST(TextReport, IsAtMostEightyColumnsWide) {
    LoadReport report = someOpenReport();
    report.options.size = SizeDistribution::parse("64:70,1500:20,4096-65536:10").value();
    report.result.server = "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535";
    report.result.dispatchers.assign(64, {"198.51.100.7:7100 load-12", 0.95});
    report.result.total.lateness.recordTimes(100ms, 2000);
    report.result.total.errors.reset = 10'000;
    report.result.total.errors.other["receive: Connection timed out"] = 12'000;
    report.result.total.errors.connect["No route to host"] = 12'000;
    report.result.total.errors.connect["Connection refused"] = 12'000;
    EXPECT_THAT(widthsOf(toText(report)), Each(Le(80u)));
}

TEST(Words, WrapAtSpacesAndIndentWhatFollows) {
    EXPECT_EQ(wrapped("a  bb ccc", 2, 20), "a  bb ccc");
    EXPECT_EQ(wrapped("a  bb ccc d", 2, 6), "a  bb\n  ccc\n  d");
    EXPECT_EQ(wrapped("verylongword x", 2, 6), "verylongword\n  x");
    EXPECT_EQ(wrapped("µµµ µµ", 0, 6), "µµµ µµ");
}

TEST(Words, FillUpToColumnsNotBytes) {
    EXPECT_EQ(padded("1 µs", 6), "1 µs  ");
    EXPECT_EQ(rightAligned("1 µs", 6), "  1 µs");
    EXPECT_EQ(padded("too long", 2), "too long");
}

TEST(TextReport, ShowsHandshakesAndHowManyResumedASession) {
    LoadReport report = someReport();
    report.result.total.handshake.recordTimes(std::chrono::milliseconds(1), 3);
    report.result.total.resumed = 2;
    EXPECT_THAT(toText(report), HasSubstr("handshake     1.00 ms  1.00 ms"));
    EXPECT_THAT(toText(report), HasSubstr("2 of 3 TLS handshakes resumed a session\n"));
}

TEST(TextReport, SaysWhatOtherModesCount) {
    LoadReport report = someReport();
    report.options.isOneWay = true;
    EXPECT_THAT(toText(report), HasSubstr("messages/s    1000\n"));
    report.options.connectOnly = true;
    EXPECT_THAT(toText(report), HasSubstr("connects/s    1000\n"));
    EXPECT_THAT(toText(report), HasSubstr(", connects only ("));
}

}  // namespace
}  // namespace load
