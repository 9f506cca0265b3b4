#include "echo_client/report/LoadReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "apps/echo_client/report/SomeReport.h"
#include "apps/echo_client/report/page/PageReader.h"
#include "echo_client/report/Comparison.h"

namespace {

using namespace load;
using namespace page_reader;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

// `points` of a tenth of a second each, of which the first is not measured.
LoadReport report(int points) {
    LoadReport report;
    report.result.server = "127.0.0.1:7007";
    report.result.selector = "epoll";
    report.result.measured = points * 100ms;
    report.result.dispatchers = {{"load-0", 0.43}, {"load-1", 0.95}};
    report.options.arguments = {"--port", "7007"};
    for (int i = 0; i < points; ++i) {
        report.result.series.push_back({0.1 * (i + 1), 1000.0 + i, 0.064, 30, 40, 90, 120, 150, 0,
                                        0, i > 0 ? LoadPhase::measuring : LoadPhase::warmingUp});
        for (int j = 1; j <= 100; ++j) report.result.total.latency.record(j * 1us);
        report.result.total.inTime += 100;
    }
    return report;
}

LoadReport openLoop(int points) {
    LoadReport open = report(points);
    open.result.openLoop = true;
    open.result.offered = 1000;
    open.result.dispatchers.pop_back();
    open.options.rate = RateCurve::constant(1000);
    open.result.total.service = open.result.total.latency;
    open.result.total.lateness.record(12us);
    return open;
}

EarlierRun earlier(const std::string& name, int points) {
    return EarlierRun::parse(name, toJson(report(points))).orThrow();
}

EarlierRun earlier(const std::string& name, std::vector<Point> series) {
    EarlierRun made = earlier(name, 0);
    made.series = std::move(series);
    return made;
}

std::string page(const LoadReport& of, const std::vector<EarlierRun>& others = {}) {
    return toHtml(of, others, compared(of, others));
}

// Sound, whatever the figures are.
void expectSane(const std::string& html) {
    EXPECT_EQ(brokenNesting(html), "");
    EXPECT_FALSE(hasWord(html, "nan") || hasWord(html, "inf"));
    EXPECT_EQ(countOf("<h2>", html), countOf("</h2>", html));
    EXPECT_THAT(html, HasSubstr("<h2>Histogram of latencies</h2>"));
}

TEST(HtmlReport, IsAPageThatNeedsNothingElse) {
    const std::string html = page(openLoop(50), {earlier("a.json", 10)});
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    EXPECT_THAT(html, HasSubstr("<meta name=\"viewport\" content=\"width=device-width"));
    EXPECT_THAT(html, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'"));
    for (const char* outside : {"<script", "<link", "src=\"", "href=", "url(", "@import", "://"}) {
        EXPECT_THAT(html, Not(HasSubstr(outside)));
    }
    EXPECT_EQ(brokenNesting(html), "");
}

TEST(HtmlReport, SaysWhatWasLoadedAndHow) {
    LoadReport open = openLoop(50);
    open.options.arrivals = Arrivals::poisson;
    EXPECT_THAT(page(open), AllOf(HasSubstr("<h1>Load on 127.0.0.1:7007</h1>"),
                                  HasSubstr("Open loop: 1,000 messages/s planned, Poisson"),
                                  HasSubstr("50 connections · 64 bytes · raw framing")));
    EXPECT_THAT(page(report(50)),
                HasSubstr("Closed loop: each connection keeps 1 message in flight"));
}

// The size is of an echo's messages.
TEST(HtmlReport, SaysWhatOtherModesCount) {
    LoadReport other = report(5);
    other.options.isOneWay = true;
    EXPECT_THAT(page(other), HasSubstr("<dt>messages/s</dt>"));
    other.options.connectOnly = true;
    EXPECT_THAT(page(other), HasSubstr("<dt>connects/s</dt>"));
    other.result.total.handshake.record(1ms);
    EXPECT_THAT(page(other), HasSubstr("TLS handshake"));
}

TEST(HtmlReport, SaysThatMessagesAreOfADialogue) {
    LoadReport asked = report(5);
    const auto turn = [] {
        return Dialogue::Turn{Template::parse("a").orThrow(), Expectation::parse("b").orThrow()};
    };
    asked.options.dialogue = Dialogue{{turn(), turn()}};
    EXPECT_THAT(page(asked), AllOf(HasSubstr("50 connections · 2 messages of --send · "),
                                   Not(HasSubstr("64 bytes"))));
}

TEST(HtmlReport, ShowsOutagesAndMarksTheirTime) {
    LoadReport cut = report(50);
    EXPECT_THAT(page(cut), HasSubstr(" Shaded: not measured."));
    cut.result.total.outages.add({2s, 3s, 3, 5, 40});
    cut.result.total.outages.add({4s, 100s, 3, 0, 0});
    EXPECT_THAT(page(cut), AllOf(HasSubstr("⚠ Outage:</strong> from 2.00 s for 1.00 s, 3 conn"),
                                 HasSubstr("⚠ Outage:</strong> from 4.00 s"),
                                 HasSubstr(" Shaded: not measured, or an outage."),
                                 HasSubstr("<title>outage</title>")));
}

TEST(HtmlReport, ShowsTheServersCpuWhereItIsMeasured) {
    LoadReport measured = report(5);
    EXPECT_THAT(page(measured), Not(HasSubstr("<dt>server CPU</dt>")));
    measured.result.serverUse = someServerUse();
    EXPECT_THAT(page(measured),
                testing::ContainsRegex("<dt>server CPU</dt><dd><b>50 %</b><span>[0-9.]+ µs "
                                       "of each echo</span>"));
}

TEST(HtmlReport, ExplainsItsFigures) {
    EXPECT_THAT(page(openLoop(5)),
                AllOf(HasSubstr("<dt>Latency</dt>"), HasSubstr("<dt>Service time</dt>"),
                      HasSubstr("<dt>Lateness</dt>"), HasSubstr("p99 12.0 µs")));
    EXPECT_THAT(page(report(5)), Not(HasSubstr("<dt>Service time</dt>")));
}

TEST(HtmlReport, ShowsThatAllRequirementsAreMet) {
    LoadReport passed = report(5);
    passed.verdict.checks = {{"p99<2ms", "p99 = 99.0 µs", true}};
    EXPECT_THAT(page(passed), AllOf(HasSubstr("✓ Passed"), HasSubstr("p99&lt;2ms"),
                                    HasSubstr("✓ met"), Not(HasSubstr("✗"))));
}

TEST(HtmlReport, ShowsWhyItFailed) {
    LoadReport failed = report(5);
    failed.verdict = {exitRequirementMissed, "p99<2us was missed", {{"p99<2us", "p99", false}}};
    EXPECT_THAT(page(failed), AllOf(HasSubstr("✗ Failed:</strong> p99&lt;2us was missed"),
                                    HasSubstr("✗ missed"), Not(HasSubstr("Passed"))));
}

TEST(HtmlReport, WarnsThatTheGeneratorWasLate) {
    LoadReport late = openLoop(5);
    late.result.dispatchers = {{"load-0", 0.97}};
    EXPECT_THAT(page(late),
                AllOf(HasSubstr("⚠ Warning:</strong> load-0 was 97 % busy"), HasSubstr("Passed")));
}

TEST(HtmlReport, SaysThatItCannotTell) {
    LoadReport unknown = openLoop(5);
    unknown.verdict = {exitCannotTell, "cannot tell: x", {{"p99<1ms", "p99 = 2 ms", false, false}}};
    EXPECT_THAT(page(unknown), AllOf(HasSubstr("⚠ Unknown:</strong> cannot tell: x"),
                                     HasSubstr("⚠ unknown"), Not(HasSubstr("Passed"))));
}

TEST(HtmlReport, DrawsEachPointOfTheSeries) {
    const std::string html = page(openLoop(50));
    EXPECT_EQ(linesOf(html, "this run"), (std::vector<Drawn>{{50, 50}}));
    EXPECT_EQ(linesOf(html, "planned"), (std::vector<Drawn>{{50, 50}}));
    for (const char* name : {"p50", "p90", "p99", "max"}) {
        EXPECT_EQ(linesOf(html, name), (std::vector<Drawn>{{50, 50}})) << name;
    }
    EXPECT_EQ(countOf("role=\"img\"", html), 4U);
    EXPECT_EQ(countOf("class=\"shade\"", html), 2U);  // the warm-up, in two plots
}

TEST(HtmlReport, DrawsEachBucketOfTheHistogramByItsPercentile) {
    const std::string html = page(openLoop(50));
    EXPECT_EQ(linesOf(html, "latency"), (std::vector<Drawn>{{100, 100}}));
    EXPECT_EQ(linesOf(html, "service time"), (std::vector<Drawn>{{100, 100}}));
    EXPECT_TRUE(linesOf(page(report(50)), "service time").empty());
    EXPECT_THAT(html, HasSubstr(">99.9 %</text>"));
    EXPECT_THAT(html, Not(HasSubstr(">99.99999 %</text>")));
}

TEST(HtmlReport, DrawsABarForEachBinThatIsNotEmpty) {
    LoadReport two = report(0);
    two.result.total.latency.recordTimes(10us, 3);
    two.result.total.latency.recordTimes(10ms, 1);
    const std::string html = page(two);
    EXPECT_EQ(countOf("<rect class=\"bar ", html), 2U);
    EXPECT_THAT(html,
                AllOf(HasSubstr("data-value=\"75.000000\""), HasSubstr(": 3 echoes, 75.00 %")));
}

TEST(HtmlReport, BreaksTheLatencyLinesWhereNothingWasAnswered) {
    LoadReport stalled = report(30);
    stalled.result.series[10] = {1.1, 0, 0, nan, nan, nan, nan, nan, 0, 0, LoadPhase::measuring};
    const std::string html = page(stalled, {earlier("a.json", stalled.result.series)});
    for (const char* name : {"p50", "p90", "p99", "max", "a.json, p99"}) {
        EXPECT_EQ(linesOf(html, name), (std::vector<Drawn>{{29, 29}})) << name;
    }
    EXPECT_EQ(linesOf(html, "this run"), (std::vector<Drawn>{{30, 30}}));
    EXPECT_EQ(countOf(">1.1 s: 0 echoes/s, no latency</title>", html), 2U);
    expectSane(html);
}

TEST(HtmlReport, PlansStagesAsTheyRise) {
    LoadReport staged = openLoop(10);
    staged.options.rate = RateCurve::parseStages("1s:100-1100").orThrow();
    const std::string html = page(staged);
    EXPECT_EQ(linesOf(html, "planned"), (std::vector<Drawn>{{10, 10}}));
    EXPECT_THAT(html, HasSubstr("in the stages " + staged.options.rate->toString()));
    // The first of ten, in the middle of 100 and 200, is 150 of a plot up to 1,500.
    ASSERT_EQ(tagsOf(html, "planned").size(), 1U);
    EXPECT_THAT(tagsOf(html, "planned")[0], HasSubstr("d=\"M100 900L200 833.3L"));
}

TEST(HtmlReport, LaysEarlierRunsOverThisOne) {
    const std::string html = page(report(50), {earlier("a.json", 20), earlier("b.json", 30)});
    // Throughput, percentiles and the outline of the histogram.
    const auto first = linesOf(html, "a.json");
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(first[0], (Drawn{20, 20}));
    EXPECT_EQ(first[1], (Drawn{100, 100}));
    EXPECT_EQ(linesOf(html, "b.json, p99"), (std::vector<Drawn>{{30, 30}}));
    EXPECT_EQ(countOf("</svg>b.json</li>", html), 3U);
    EXPECT_EQ(countOf("</svg>this run</li>", html), 2U);
    EXPECT_THAT(html, HasSubstr("<th scope=\"col\">Latency, a.json</th>"));
}

TEST(HtmlReport, ShowsTheDifferencesToAnEarlierRun) {
    const std::string html = page(report(50), {earlier("a.json", 20)});
    EXPECT_THAT(html, AllOf(HasSubstr("<h2>Differences</h2>"),
                            HasSubstr("a.json (1 run) and this run (1 run)")));
    EXPECT_THAT(page(report(50)), Not(HasSubstr("<h2>Differences</h2>")));
}

TEST(HtmlReport, ShowsLoadErrorsHostAndCommandLine) {
    LoadReport told = report(5);
    told.result.total.errors.lost = 3;
    told.result.total.errors.connect["Connection refused"] = 2;
    told.result.total.errors.badFrame = "0000  <41>";
    told.host.kernel = "Linux 6.1.0";
    told.options.arguments = {"--require", "p99<2ms", "it's"};
    const std::string html = page(told);
    EXPECT_THAT(html, HasSubstr("<th scope=\"row\">load-0</th>"));
    EXPECT_THAT(html, HasSubstr("95 %, over 90 %"));
    EXPECT_THAT(html, HasSubstr("<th scope=\"row\">lost</th><td>3</td>"));
    EXPECT_THAT(html, HasSubstr("<td>2</td><td>Connection refused</td>"));
    EXPECT_THAT(html, HasSubstr("0000  &lt;41&gt;"));
    EXPECT_THAT(html, HasSubstr("<td>Linux 6.1.0</td>"));
    EXPECT_THAT(html, HasSubstr("echo-client --require &#39;p99&lt;2ms&#39; "));
    EXPECT_THAT(html, HasSubstr("&#39;it&#39;\\&#39;&#39;s&#39;</pre>"));
}

TEST(HtmlReport, ShowsRepeatsWithTheirMedian) {
    LoadReport repeated = report(5);
    for (int i = 1; i <= 3; ++i) repeated.repeats.push_back(report(5).result);
    repeated.repeats[0].measured = 250ms;
    repeated.repeats[2].measured = 1s;
    EXPECT_THAT(page(repeated), HasSubstr("<td>1,000</td><td>500 to 2,000</td><td>2,000</td>"));
    EXPECT_THAT(page(report(5)), Not(HasSubstr("Repeats")));
}

TEST(HtmlReport, LeavesRunsWithoutAnAnswerOutOfTheMedianLatency) {
    LoadReport repeated = report(5);
    LoadResult silent = repeated.result;
    silent.total = {};
    repeated.repeats = {repeated.result, repeated.result, silent};
    EXPECT_THAT(page(repeated),
                HasSubstr("<th scope=\"row\">max</th><td>100 µs</td>"
                          "<td>100 µs to 100 µs, with 50.0 %</td><td>100 µs</td><td>100 µs</td>"
                          "<td>–</td>"));
    repeated.repeats = {silent, silent};
    EXPECT_THAT(page(repeated), HasSubstr("<th scope=\"row\">max</th><td>–</td><td>–</td>"
                                          "<td>–</td><td>–</td>"));
}

TEST(HtmlReport, LetsNoTextBecomeMarkup) {
    const std::string evil = "\"><script>alert('&')</script>";
    LoadReport told = openLoop(30);
    told.result.server = told.result.selector = told.began = evil;
    told.result.dispatchers = {{evil, 0.5}};
    told.verdict = {exitIo, evil, {{evil, evil, false}}};
    told.host = {evil, evil, evil, 1, 1, evil, evil};
    told.options.arguments = {evil};
    LoadErrors& errors = told.result.total.errors;
    errors.connect[evil] = errors.other[evil] = 1;
    errors.connectExample = errors.wrongAnswerExample = errors.badFrame = evil;
    told.options.findMax = Requirement::parse("p99<5ms").orThrow();
    told.search = {{1, 1, evil, false, evil}};
    const std::string html = page(told, {earlier(evil, 3)});
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;&amp;&#39;)"));
    EXPECT_EQ(brokenNesting(html), "");
}

TEST(HtmlReport, OfNothingIsStillAPage) {
    const std::string html = page(LoadReport());
    expectSane(html);
    EXPECT_EQ(countOf("No data to plot.", html), 4U);
    LoadReport open;
    open.result.openLoop = true;
    expectSane(page(open, {earlier("empty.json", 0)}));
}

TEST(HtmlReport, OfOnePointDrawsADot) {
    const std::string html = page(report(1));
    expectSane(html);
    EXPECT_EQ(countOf("<circle class=\"dot run0 p99\"", html), 1U);
    EXPECT_EQ(linesOf(html, "p99"), (std::vector<Drawn>{{1, 1}}));
}

TEST(HtmlReport, OfEqualValuesHasRoomAroundThem) {
    LoadReport even = report(0);
    even.result.total.latency.recordTimes(50us, 1'000'000);
    for (int i = 0; i < 30; ++i) {
        even.result.series.push_back({1, 1000, 1, 50, 50, 50, 50, 50, 0, 0, LoadPhase::measuring});
    }
    expectSane(page(even));
    EXPECT_EQ(linesOf(page(even), "p99"), (std::vector<Drawn>{{30, 30}}));
}

TEST(HtmlReport, SaysWhatIsBeyondTheHistogramsRange) {
    LoadReport slow = report(3);
    slow.result.total.latency.recordTimes(70s, 100);
    Sample sample;
    sample.latency.record(70s);
    slow.result.series.push_back(Point::of(sample));
    const auto old = EarlierRun::parse("old.json", toJson(slow)).orThrow();
    const std::string html = page(slow, {old});
    expectSane(html);
    EXPECT_THAT(html, HasSubstr("<dt>p99</dt><dd><b>&gt; 60 s</b>"));
    EXPECT_THAT(html, HasSubstr("99 %: latency &gt; 60 s, old.json &gt; 60 s"));
    EXPECT_THAT(html, HasSubstr("p50 &gt; 60 s, p90 &gt; 60 s"));
    EXPECT_THAT(html, Not(HasSubstr("60.0 s")));
}

TEST(HtmlReport, StaysSaneWithImpossibleFigures) {
    LoadReport odd = openLoop(3);
    odd.options.findMax = Requirement::parse("p99<5ms").orThrow();
    for (const double value : {nan, infinite, -infinite, -1.0, 1e300, 1e-300}) {
        odd.result.offered = value;
        odd.result.series.push_back({value, value, value, value, value, value, value, value,
                                     SIZE_MAX, SIZE_MAX, LoadPhase::measuring});
        odd.search = {{value, value, "", true, "", false, value}};
        odd.repeats = {odd.result, odd.result};
        expectSane(page(odd, {earlier("odd.json", odd.result.series)}));
    }
    odd.result.total.latency.recordTimes(std::chrono::hours(1'000'000), 1);
    odd.result.total.latency.recordTimes(0ns, std::uint64_t{1} << 53);
    odd.result.total.latency.recordTimes(60s, std::uint64_t{1} << 53);
    expectSane(page(odd));
}

TEST(HtmlReport, OfALongRunDoesNotAskForEveryPixel) {
    const std::string html = page(report(5000));
    EXPECT_EQ(linesOf(html, "p99"), (std::vector<Drawn>{{5000, 5000}}));
    EXPECT_LE(countOf("class=\"hover\"", html), 2 * 400 + 10U);
    EXPECT_THAT(html, Not(HasSubstr("<summary>")));
}

}  // namespace
