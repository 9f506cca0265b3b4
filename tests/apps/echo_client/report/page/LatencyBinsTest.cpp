#include "echo_client/report/page/LatencyBins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace {

using apps::LatencyHistogram;
using load::page::LatencyBins;
using namespace std::chrono_literals;

std::vector<std::uint64_t> countsOf(const LatencyBins& bins) {
    std::vector<std::uint64_t> counts;
    for (const auto& bin : bins.bins()) counts.push_back(bin.count);
    return counts;
}

TEST(LatencyBins, AreWiderByTheSameFactorEach) {
    LatencyHistogram latency;
    latency.record(1us);
    latency.record(1ms);
    const LatencyBins bins(latency, 10);
    for (const auto& bin : bins.bins()) EXPECT_NEAR(bin.to / bin.from, std::pow(10, 0.1), 1e-9);
}

TEST(LatencyBins, CountEveryLatencyOnceAndLeaveNoGap) {
    LatencyHistogram latency;
    latency.recordTimes(100ns, 3);
    latency.recordTimes(999ns, 2);
    latency.recordTimes(10us, 5);
    const LatencyBins bins(latency, 1);
    EXPECT_THAT(countsOf(bins), testing::ElementsAre(5, 0, 5));
    EXPECT_DOUBLE_EQ(bins.bins().front().from, 100);
    EXPECT_DOUBLE_EQ(bins.share(bins.bins().back()), 0.5);
}

TEST(LatencyBins, TakeZeroForOneNanosecond) {
    LatencyHistogram latency;
    latency.record(0ns);
    EXPECT_DOUBLE_EQ(LatencyBins(latency, 10).bins().front().from, 1);
}

TEST(LatencyBins, OfNothingAreNone) {
    EXPECT_THAT(LatencyBins(LatencyHistogram(), 10).bins(), testing::IsEmpty());
}

TEST(LatencyBins, AreSomeDozensWhateverTheRange) {
    for (const double high : {1.5, 3.0, 10.0, 1e3, 1e6, 6e10}) {
        const double bins = LatencyBins::perDecadeFor(1, high) * std::log10(high);
        EXPECT_THAT(bins, testing::AllOf(testing::Ge(10), testing::Le(110))) << high;
    }
}

}  // namespace
