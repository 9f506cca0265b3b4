#include "echo_client/plan/RateCurve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "echo_client/plan/Random.h"

namespace load {
namespace {

using namespace std::chrono_literals;

RateCurve stages(const std::string& text) {
    return RateCurve::parseStages(text).orThrow();
}

TEST(RateCurve, NeverEndsWhereItIsConstant) {
    const RateCurve curve = RateCurve::constant(2'000);
    EXPECT_FALSE(curve.hasStages());
    EXPECT_EQ(curve.length(), std::chrono::nanoseconds::max());
    EXPECT_EQ(curve.timeOf(0), 0);
    EXPECT_DOUBLE_EQ(curve.timeOf(1), 0.0005);
    EXPECT_DOUBLE_EQ(curve.timeOf(2e9), 1e6);
    EXPECT_DOUBLE_EQ(curve.messagesBy(1e6), 2e9);
    EXPECT_EQ(curve.rateAt(12), 2'000);
    EXPECT_EQ(curve.meanRate(1.1, 2.3), 2'000) << "without rounding";
}

TEST(RateCurve, GoesThroughItsStages) {
    const RateCurve curve = stages("10s:1k,30s:5k");
    EXPECT_TRUE(curve.hasStages());
    EXPECT_EQ(curve.length(), 40s);
    EXPECT_EQ(curve.rateAt(9.999), 1'000);
    EXPECT_EQ(curve.rateAt(10), 5'000);
    EXPECT_DOUBLE_EQ(curve.messagesBy(10), 10'000);
    EXPECT_DOUBLE_EQ(curve.messagesBy(40), 160'000);
    EXPECT_DOUBLE_EQ(curve.timeOf(10'000), 10);
    EXPECT_DOUBLE_EQ(curve.timeOf(15'000), 11);
    EXPECT_DOUBLE_EQ(curve.meanRate(9, 11), 3'000);
}

TEST(RateCurve, RisesAndFallsEvenly) {
    const RateCurve curve = stages("20s:1k-9k,10s:100-0");
    EXPECT_DOUBLE_EQ(curve.rateAt(5), 3'000);
    EXPECT_DOUBLE_EQ(curve.messagesBy(5), 10'000);
    EXPECT_DOUBLE_EQ(curve.timeOf(10'000), 5);
    EXPECT_DOUBLE_EQ(curve.messagesBy(20), 100'000);
    EXPECT_DOUBLE_EQ(curve.messagesBy(25), 100'375);
    EXPECT_DOUBLE_EQ(curve.meanRate(0, 20), 5'000);
}

TEST(RateCurve, EndsWithItsLastStage) {
    const RateCurve curve = stages("2s:100");
    EXPECT_EQ(curve.timeOf(199), 1.99);
    EXPECT_TRUE(std::isinf(curve.timeOf(200)));
    EXPECT_TRUE(std::isinf(curve.timeOf(1e12)));
    EXPECT_EQ(curve.messagesBy(3), 200);
    EXPECT_EQ(curve.rateAt(2), 0);
    EXPECT_EQ(curve.rateAt(100), 0);
}

TEST(RateCurve, SendsNothingDuringAPause) {
    const RateCurve curve = stages("1s:10,5s:0,1s:10,5s:0");
    EXPECT_LT(curve.timeOf(9.999), 1);
    EXPECT_DOUBLE_EQ(curve.timeOf(10), 6);
    EXPECT_EQ(curve.messagesBy(1), 10);
    EXPECT_EQ(curve.messagesBy(3), 10);
    EXPECT_EQ(curve.messagesBy(6), 10);
    EXPECT_EQ(curve.rateAt(3), 0);
    EXPECT_TRUE(std::isinf(curve.timeOf(20)));
    EXPECT_EQ(curve.length(), 12s);
    EXPECT_DOUBLE_EQ(stages("5s:0,1s:1").timeOf(0), 5);
}

TEST(RateCurve, HasNothingBeforeItsBeginning) {
    const RateCurve curve = stages("1s:10");
    EXPECT_EQ(curve.messagesBy(0), 0);
    EXPECT_EQ(curve.messagesBy(-1), 0);
    EXPECT_EQ(curve.rateAt(-1), 0);
}

class RateCurveInverse : public testing::TestWithParam<const char*> {};

TEST_P(RateCurveInverse, FindsTheTimeOfEachMessageAndTheMessagesOfEachTime) {
    const RateCurve curve = stages(GetParam());
    const double length = std::chrono::duration<double>(curve.length()).count();
    const double all = curve.messagesBy(length);
    Random random(7, 0);
    double lastTime = 0;
    for (int i = 0; i < 1'000; ++i) {
        const double messages = all * i / 1'000;
        const double time = curve.timeOf(messages);
        EXPECT_GE(time, lastTime);
        EXPECT_LE(time, length);
        EXPECT_NEAR(curve.messagesBy(time), messages, 1e-7 * all);
        lastTime = time;

        const double when = length * random.fraction();
        const double back = curve.timeOf(curve.messagesBy(when));
        const double rate = curve.rateAt(when);
        if (rate == 0) {
            EXPECT_GE(back, when);
        } else if (rate > 1e-6 * all) {  // on less, doubles cannot tell one time from another
            EXPECT_NEAR(back, when, 1e-7 * length);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, RateCurveInverse,
                         testing::Values("10s:1k", "10s:1k,30s:5k", "20s:1k-9k", "20s:9k-1k",
                                         "10s:0-1k", "10s:1k-0", "1s:10,5s:0,1s:10",
                                         "3s:0,5s:0-70,2s:0,4s:70-0,1s:0.1,500ms:1M",
                                         "1ms:3,7s:0.333-0.111,1h:12345.6789"),
                         [](const auto& curve) { return "Curve" + std::to_string(curve.index); });

TEST(RateCurve, IsWrittenAsItIsRead) {
    EXPECT_EQ(RateCurve::constant(5'000).toString(), "5k/s");
    for (const char* text : {"10s:1k,30s:5k", "500ms:0-2.5M,5s:0,1500ms:3", "1s:0.001-50"}) {
        EXPECT_EQ(stages(text).toString(), text);
    }
    EXPECT_EQ(stages("1s:0/s-5/s").toString(), "1s:0-5");
}

TEST(RateCurve, RefusesWhatAreNoStagesInOneSentence) {
    for (const char* text :
         {"", "1k", "10s", "10s:", ":1k", "1s:0.0001-50", "0s:1k", "10s:x", "10s:1k-", "10s:-1k",
          "10s:1k,", "10s:0", "10s:0,1s:0-0", "x:1k", "10s:2G", "10s:1-2-3", "1000000s:1,1s:1"}) {
        const auto curve = RateCurve::parseStages(text);
        ASSERT_FALSE(curve) << text;
        EXPECT_FALSE(curve.error().context().empty());
        EXPECT_EQ(curve.error().context().find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace load
