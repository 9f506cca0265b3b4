// Distributions of a delay, drawn from many times.
#include "common/Delay.h"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

struct Drawn {
    nio::Clock::duration least = nio::Clock::duration::max();
    nio::Clock::duration most{0};
    nio::Clock::duration mean{0};
};

Drawn draw(const std::string& text) {
    constexpr int draws = 100'000;
    const apps::Delay delay = apps::Delay::parse(text).orThrow();
    apps::Delay::Random random(1);
    Drawn drawn;
    nio::Clock::duration sum{0};
    for (int i = 0; i < draws; ++i) {
        const auto time = delay.next(random);
        drawn.least = std::min(drawn.least, time);
        drawn.most = std::max(drawn.most, time);
        sum += time;
    }
    drawn.mean = sum / draws;
    EXPECT_LE(drawn.most, delay.longest()) << text;
    return drawn;
}

TEST(Delay, OfOneTimeIsThatTime) {
    const Drawn drawn = draw("5ms");
    EXPECT_EQ(drawn.least, 5ms);
    EXPECT_EQ(drawn.most, 5ms);
}

TEST(Delay, OfARangeIsUniformWithinIt) {
    const Drawn drawn = draw("1ms..11ms");
    EXPECT_GE(drawn.least, 1ms);
    EXPECT_LE(drawn.least, 1100us);
    EXPECT_GE(drawn.most, 10900us);
    EXPECT_LE(drawn.most, 11ms);
    EXPECT_NEAR(static_cast<double>(drawn.mean.count()), 6e6, 6e4);
}

TEST(Delay, OfAMeanIsExponentialUpTo20Means) {
    const Drawn drawn = draw("exp:5ms");
    EXPECT_NEAR(static_cast<double>(drawn.mean.count()), 5e6, 1e5);
    EXPECT_GE(drawn.most, 40ms) << "some wait much longer than the mean";
    EXPECT_LE(drawn.most, 100ms);
}

}  // namespace
