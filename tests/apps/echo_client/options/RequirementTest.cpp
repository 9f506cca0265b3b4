#include "echo_client/options/Requirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "echo_client/figures/LoadResult.h"

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Requirement parsed(const std::string& text) {
    return Requirement::parse(text).orThrow();
}

// 1,000 echoes in 2 s: 1 µs, 2 µs, … 1,000 µs.
LoadResult someResult() {
    LoadResult result;
    result.measured = 2s;
    for (int i = 1; i <= 1'000; ++i) result.total.latency.record(i * 1us);
    result.total.inTime = 1'000;
    result.total.service.record(3us);
    result.total.handshake.record(4ms);
    result.total.connect.record(40us);
    result.total.lateness.record(50ns);
    result.total.errors.lost = 1;
    result.total.errors.duplicated = 2;
    result.total.errors.reordered = 3;
    result.total.errors.corrupted = 4;
    result.total.errors.timedOut = 5;
    result.total.unsent = 6;
    return result;
}

// 98 echoes at once, 2 after 70 s.
LoadResult slowResult() {
    LoadResult result;
    result.total.latency.recordTimes(1ms, 98);
    result.total.latency.recordTimes(70s, 2);
    return result;
}

TEST(Requirement, KeepsNoBoundBeyondTheHistogramsRange) {
    const LoadResult slow = slowResult();
    for (const char* text :
         {"p99<61s", "p99<=100s", "p100<61s", "p99.9=70s", "p99>61s", "p99>=70s", "p99<60s"}) {
        EXPECT_FALSE(parsed(text).isMetBy(slow)) << text;
        EXPECT_THAT(parsed(text).describe(slow), testing::EndsWith(" > 60 s")) << text;
    }
    EXPECT_TRUE(parsed("p99>=60s").isMetBy(slow));
    EXPECT_TRUE(parsed("p98<61s").isMetBy(slow));
}

TEST(Requirement, JudgesMaximumAndMeanBeyondTheRangeExactly) {
    const LoadResult slow = slowResult();
    EXPECT_TRUE(parsed("max<71s").isMetBy(slow));
    EXPECT_FALSE(parsed("max<69s").isMetBy(slow));
    EXPECT_TRUE(parsed("mean<1.5s").isMetBy(slow));
    EXPECT_EQ(parsed("max<69s").describe(slow), "max = 70.0 s");
}

TEST(Requirement, FindsEveryFigureInAResult) {
    const LoadResult result = someResult();
    const std::pair<const char*, double> figures[] = {{"min", 1'000},
                                                      {"max", 1e6},
                                                      {"latency.max", 1e6},
                                                      {"mean", 500'500},
                                                      {"service.p99", 3'000},
                                                      {"handshake.p99", 4'000'000},
                                                      {"service.min", 3'000},
                                                      {"connect.max", 40'000},
                                                      {"connect.p50", 40'000},
                                                      {"lateness.p99.9", 50},
                                                      {"lateness.mean", 50},
                                                      {"errors", 15},
                                                      {"lost", 1},
                                                      {"duplicated", 2},
                                                      {"reordered", 3},
                                                      {"corrupted", 4},
                                                      {"unsent", 6},
                                                      {"rate", 500}};
    for (const auto& [figure, value] : figures) {
        EXPECT_DOUBLE_EQ(parsed(figure + std::string("<1")).valueIn(result), value) << figure;
    }
}

TEST(Requirement, FindsAnyPercentileToThreeDigits) {
    const LoadResult result = someResult();
    const std::pair<const char*, double> figures[] = {
        {"p50", 500e3},   {"p90", 900e3},      {"p95", 950e3},    {"p99", 990e3},
        {"p99.9", 999e3}, {"p99.99", 1'000e3}, {"p100", 1'000e3}, {"p12.5", 125e3}};
    for (const auto& [figure, value] : figures) {
        EXPECT_NEAR(parsed(figure + std::string("<1")).valueIn(result), value, value / 1'000);
    }
}

TEST(Requirement, ComparesInFiveWays) {
    LoadResult result;
    result.total.unsent = 10;
    const std::pair<const char*, std::array<bool, 3>> comparisons[] = {{"<", {false, false, true}},
                                                                       {"<=", {false, true, true}},
                                                                       {"=", {false, true, false}},
                                                                       {">=", {true, true, false}},
                                                                       {">", {true, false, false}}};
    for (const auto& [sign, met] : comparisons) {
        const std::string text = std::string("unsent") + sign;
        EXPECT_EQ(parsed(text + "9").isMetBy(result), met[0]) << sign;
        EXPECT_EQ(parsed(text + "10").isMetBy(result), met[1]) << sign;
        EXPECT_EQ(parsed(text + "11").isMetBy(result), met[2]) << sign;
    }
}

TEST(Requirement, TakesTimesWithAUnitAndNumbersWithOrWithout) {
    const LoadResult result = someResult();
    EXPECT_TRUE(parsed("max<=1ms").isMetBy(result));
    EXPECT_FALSE(parsed("max<1ms").isMetBy(result));
    EXPECT_TRUE(parsed("max<0.002").isMetBy(result));
    EXPECT_TRUE(parsed("rate>=0.5k").isMetBy(result));
    EXPECT_TRUE(parsed("rate>=500/s").isMetBy(result));
    EXPECT_FALSE(parsed("rate > 0.5k/s").isMetBy(result));
    EXPECT_TRUE(parsed("errors<1k").isMetBy(result));
}

TEST(Requirement, TakesItsBoundFromAnEarlierRun) {
    const Requirement slower = parsed("p99 <= before+10%");
    EXPECT_TRUE(slower.isRelative());
    EXPECT_TRUE(slower.against(1e6).isMetBy(1.09e6));
    EXPECT_FALSE(slower.against(1e6).isMetBy(1.11e6));
    EXPECT_EQ(slower.against(1e6).describe(1.11e6), "p99 = 1.11 ms (before: 1.00 ms)");
    EXPECT_TRUE(parsed("rate>=before-5%").against(100).isMetBy(96));
    EXPECT_FALSE(parsed("rate>=before-5%").against(100).isMetBy(94));
    EXPECT_TRUE(parsed("errors<=before").against(0).isMetBy(0));
    EXPECT_FALSE(parsed("errors<=before").against(0).isMetBy(1));
    EXPECT_FALSE(parsed("p99<1s").isRelative());
}

TEST(Requirement, RefusesWhatIsNoPartOfAnEarlierRun) {
    for (const char* bound : {"before+", "before+10", "before*2", "before+%", "before-100%",
                              "before+-1%", "beforehand", "before+10%%"}) {
        const auto refused = Requirement::parse(std::string("p99<") + bound);
        ASSERT_FALSE(refused) << bound;
        EXPECT_THAT(refused.error().context(), HasSubstr("before, before+10% or before-10%"));
    }
}

TEST(Requirement, IsMissedWhereThereIsNoSuchFigure) {
    const LoadResult nothing;
    for (const char* sign : {"<", "<=", "=", ">=", ">"}) {
        const Requirement requirement = parsed(std::string("p99") + sign + "1s");
        EXPECT_TRUE(std::isnan(requirement.valueIn(nothing)));
        EXPECT_FALSE(requirement.isMetBy(nothing)) << sign;
    }
    EXPECT_EQ(parsed("p99<1s").describe(nothing), "p99 = none");
}

TEST(Requirement, CountsAnUnansweredMessageAsSlowerThanAnyLimit) {
    LoadResult result = someResult();
    result.total.unanswered = 30;
    EXPECT_TRUE(parsed("p97<2ms").isMetBy(result));
    EXPECT_FALSE(parsed("p98<2ms").isMetBy(result));
    EXPECT_TRUE(parsed("p98>=2ms").isMetBy(result));
    for (const char* text : {"max<1h", "mean<1h", "p100<1h", "service.p99<1h"}) {
        EXPECT_FALSE(parsed(text).isMetBy(result)) << text;
    }
    for (const char* text : {"min<2ms", "connect.max<2ms", "lateness.p100<2ms"}) {
        EXPECT_TRUE(parsed(text).isMetBy(result)) << text;
    }
    EXPECT_EQ(parsed("p99<2ms").describe(result), "p99 = never (30 unanswered)");
}

TEST(Requirement, DescribesWhatWasFound) {
    const LoadResult result = someResult();
    EXPECT_EQ(parsed("service.p99<2ms").describe(result), "service.p99 = 3.00 µs");
    EXPECT_EQ(parsed(" max < 2ms").describe(result), "max = 1.00 ms");
    EXPECT_EQ(parsed("rate>5k").describe(result), "rate = 500/s");
    EXPECT_EQ(parsed("errors=0").describe(result), "errors = 15");
    EXPECT_EQ(parsed("p99 < 2ms").toString(), "p99 < 2ms");
}

TEST(Requirement, KnowsOfWhatKindItIs) {
    EXPECT_TRUE(parsed("p99<1ms").isTime());
    EXPECT_TRUE(parsed("connect.mean<1ms").isTime());
    EXPECT_FALSE(parsed("rate>1").isTime());
    EXPECT_FALSE(parsed("errors=0").isTime());

    EXPECT_TRUE(parsed("p99<1ms").isUpperBound());
    EXPECT_TRUE(parsed("p99<=1ms").isUpperBound());
    for (const char* text : {"p99=1ms", "p99>=1ms", "p99>1ms"}) {
        EXPECT_FALSE(parsed(text).isUpperBound()) << text;
    }

    EXPECT_TRUE(parsed("service.max<1").needsOpenLoop());
    EXPECT_TRUE(parsed("lateness.p99<1").needsOpenLoop());
    EXPECT_FALSE(parsed("connect.p99<1").needsOpenLoop());
    EXPECT_FALSE(parsed("handshake.p99<1").needsOpenLoop());
    EXPECT_TRUE(parsed("handshake.p99<1").needsTls());
    EXPECT_FALSE(parsed("connect.p99<1").needsTls());

    EXPECT_TRUE(parsed("errors<5").allowsErrors());
    EXPECT_FALSE(parsed("lost<5").allowsErrors());

    EXPECT_TRUE(parsed("lost=0").isCount());
    EXPECT_FALSE(parsed("rate>0").isCount());
    EXPECT_FALSE(parsed("max<1").isCount());
}

TEST(Requirement, RefusesWhatIsNoneAndQuotesIt) {
    for (const char* text :
         {"",         "p99",        "<1ms",       "p99<",       "p99<fast",       "p99<1k",
          "p0<1",     "p101<1",     "p<1",        "p-5<1",      "pnan<1",         "p9e1<1",
          "p99.<1x",  "P99<1",      "median<1",   "service<1",  "service.rate<1", "server.p99<1",
          ".p99<1",   "errors=0ms", "errors=-1",  "errors<1/s", "rate>fast",      "p99==1ms",
          "p99=<1ms", "p99<>1ms",   "p99<1ms<2ms"}) {
        const auto requirement = Requirement::parse(text);
        ASSERT_FALSE(requirement) << text;
        EXPECT_THAT(requirement.error().context(), HasSubstr(std::string("'") + text + "'"));
        EXPECT_EQ(requirement.error().context().find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace load
