#include "echo_client/plan/SizeDistribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace load {
namespace {

std::map<std::size_t, int> drawn(const std::string& text, int times) {
    const SizeDistribution sizes = SizeDistribution::parse(text).orThrow();
    Random random(1, 2);
    std::map<std::size_t, int> counts;
    for (int i = 0; i < times; ++i) ++counts[sizes.draw(random)];
    return counts;
}

// Within five standard deviations of what is expected.
void expectShare(int found, int times, double share) {
    const double deviation = std::sqrt(times * share * (1 - share));
    EXPECT_NEAR(found, times * share, 5 * deviation);
}

TEST(SizeDistribution, HasSixtyFourBytesUnlessToldOtherwise) {
    const SizeDistribution sizes;
    EXPECT_TRUE(sizes.isFixed());
    EXPECT_EQ(sizes.largest(), 64u);
    EXPECT_EQ(sizes.toString(), "64");
}

TEST(SizeDistribution, DrawsOneSizeWithoutAnyRandomNumber) {
    const SizeDistribution sizes = SizeDistribution::parse("4Ki").orThrow();
    Random random(1, 1);
    Random untouched = random;
    EXPECT_EQ(sizes.draw(random), 4'096u);
    EXPECT_EQ(random.next(), untouched.next());
    EXPECT_EQ(sizes.mean(), 4'096);
    EXPECT_EQ(sizes.toString(), "4Ki");
}

TEST(SizeDistribution, DrawsEachLengthOfARangeEquallyOften) {
    constexpr int times = 50'000;
    const auto counts = drawn("10-14", times);
    EXPECT_EQ(counts.size(), 5u);
    EXPECT_EQ(counts.begin()->first, 10u);
    EXPECT_EQ(counts.rbegin()->first, 14u);
    for (const auto& [size, count] : counts) expectShare(count, times, 0.2);
}

TEST(SizeDistribution, DrawsSizesByTheirWeights) {
    constexpr int times = 50'000;
    auto counts = drawn("1500:30,64:70", times);
    EXPECT_EQ(counts.size(), 2u);
    expectShare(counts[64], times, 0.7);
    expectShare(counts[1'500], times, 0.3);
}

TEST(SizeDistribution, DrawsRangesByTheirWeights) {
    constexpr int times = 50'000;
    auto counts = drawn("1-2:1,100:3", times);
    EXPECT_EQ(counts.size(), 3u);
    expectShare(counts[1], times, 0.125);
    expectShare(counts[2], times, 0.125);
    expectShare(counts[100], times, 0.75);
}

TEST(SizeDistribution, KnowsItsEndsAndItsMean) {
    const SizeDistribution sizes = SizeDistribution::parse("1500:30,64-66:70").orThrow();
    EXPECT_FALSE(sizes.isFixed());
    EXPECT_EQ(sizes.smallest(), 64u);
    EXPECT_EQ(sizes.largest(), 1'500u);
    EXPECT_DOUBLE_EQ(sizes.mean(), 0.3 * 1'500 + 0.7 * 65);
    EXPECT_EQ(SizeDistribution::parse("64,1500").orThrow().mean(), 782);
}

TEST(SizeDistribution, IsFixedIfAllItsPartsAreTheSame) {
    EXPECT_TRUE(SizeDistribution::parse("64:1,64-64:2").orThrow().isFixed());
}

TEST(SizeDistribution, RefusesWhatIsNoneInOneSentence) {
    for (const char* text :
         {"", "0", "0-5", "9-8", "x", "1-", "-1", "1-2-3", "64:70,1500", "64:0", "1.5", "64,,65"}) {
        const auto sizes = SizeDistribution::parse(text);
        ASSERT_FALSE(sizes) << text;
        EXPECT_FALSE(sizes.error().context().empty());
        EXPECT_EQ(sizes.error().context().find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace load
