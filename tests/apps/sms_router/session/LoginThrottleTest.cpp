#include "sms_router/session/LoginThrottle.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Why = LoginThrottle::Why;

constexpr milliseconds delay{700};
constexpr milliseconds none{0};

nio::SocketAddress from(const std::string& host, std::uint16_t port = 1) {
    return nio::SocketAddress::numeric(host, port).orThrow();
}

class LoginThrottleTest : public testing::Test {
  protected:
    static LoginThrottle::Limits limits() {
        LoginThrottle::Limits made;
        made.freeFailures = 3;
        made.sources = 4;
        return made;
    }
    void guess(const std::string& host, int times = 1) {
        for (int i = 0; i < times; ++i) (void)throttle.refused(from(host), now, Why::guess);
    }
    std::optional<milliseconds> delayOf(const std::string& host) {
        return throttle.takeTurn(from(host, 2), now);
    }

    nio::TimePoint now{seconds(1'000)};
    LoginThrottle throttle{delay, limits()};
};

TEST_F(LoginThrottleTest, SlowsDownASourceThatHasFailedAFewTimes) {
    guess("192.0.2.1", 2);
    EXPECT_EQ(delayOf("192.0.2.1"), none);
    guess("192.0.2.1");
    EXPECT_EQ(delayOf("192.0.2.1"), delay);
    EXPECT_EQ(delayOf("192.0.2.2"), none);
}

TEST_F(LoginThrottleTest, AttemptsOfASourceTakeTurnsOneDelayApart) {
    guess("192.0.2.1", 3);
    for (int i = 1; i <= 14; ++i) EXPECT_EQ(delayOf("192.0.2.1"), i * delay);
    EXPECT_EQ(delayOf("192.0.2.1"), std::nullopt) << "more than 10 s";
    now += delay;
    EXPECT_EQ(delayOf("192.0.2.1"), 14 * delay) << "what was refused has taken no turn";
    now += 15 * delay;
    EXPECT_EQ(delayOf("192.0.2.1"), delay);
    EXPECT_EQ(delayOf("192.0.2.2"), none);
}

TEST_F(LoginThrottleTest, IsNotForgottenBeforeItsLastTurn) {
    throttle.setDelay(seconds(60));
    guess("192.0.2.1", 3);
    EXPECT_EQ(delayOf("192.0.2.1"), seconds(60));
    now += seconds(60);
    guess("192.0.2.1");
    EXPECT_EQ(delayOf("192.0.2.1"), seconds(60));
}

TEST_F(LoginThrottleTest, TakesANetworkOfIpv6ForOneSource) {
    guess("2001:db8:0:1::1", 2);
    guess("2001:db8:0:1:ffff::2");
    EXPECT_EQ(delayOf("2001:db8:0:1::3"), delay);
    EXPECT_EQ(delayOf("2001:db8:0:2::1"), none);
}

TEST_F(LoginThrottleTest, ForgetsASourceThatIsQuiet) {
    guess("192.0.2.1", 3);
    now += seconds(69);
    EXPECT_EQ(delayOf("192.0.2.1"), delay);
    now += seconds(1);
    EXPECT_EQ(delayOf("192.0.2.1"), none);
    guess("192.0.2.1", 2);
    EXPECT_EQ(delayOf("192.0.2.1"), none) << "it begins anew";
}

TEST_F(LoginThrottleTest, RightAttemptsDoNotProlongIt) {
    guess("192.0.2.1", 3);
    for (int i = 1; i < 70; ++i) {
        now += seconds(1);
        EXPECT_EQ(delayOf("192.0.2.1"), delay);
        (void)throttle.refused(from("192.0.2.1"), now, Why::other);
    }
    now += seconds(1);
    EXPECT_EQ(delayOf("192.0.2.1"), none);
}

TEST_F(LoginThrottleTest, AttemptsThatAreRefusedDoNotProlongIt) {
    throttle.setDelay(seconds(60));
    guess("192.0.2.1", 3);
    for (int i = 0; i < 4; ++i) {
        EXPECT_NE(delayOf("192.0.2.1"), none);
        now += seconds(30);
    }
    EXPECT_EQ(delayOf("192.0.2.1"), none) << "a minute after the latest turn of the last guess";
}

TEST_F(LoginThrottleTest, RemembersSoManySourcesTheLatestOnes) {
    for (const char* const host : {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"}) {
        guess(host, 3);
    }
    guess("192.0.2.1");
    guess("192.0.2.5", 3);
    EXPECT_EQ(delayOf("192.0.2.2"), none) << "it failed least recently";
    EXPECT_EQ(delayOf("192.0.2.1"), delay);
    EXPECT_EQ(delayOf("192.0.2.5"), delay);
}

TEST_F(LoginThrottleTest, SlowsDownNobodyWhoDoesNotGuess) {
    for (int i = 0; i < 10; ++i) (void)throttle.refused(from("192.0.2.1"), now, Why::other);
    EXPECT_EQ(delayOf("192.0.2.1"), none);
}

TEST_F(LoginThrottleTest, TakesAnotherDelayAtOnce) {
    guess("192.0.2.1", 3);
    EXPECT_EQ(delayOf("192.0.2.1"), delay);
    throttle.setDelay(none);
    EXPECT_EQ(delayOf("192.0.2.1"), none);
    throttle.setDelay(seconds(3));
    EXPECT_EQ(delayOf("192.0.2.1"), seconds(3)) << "the turn at the old delay is no more";
    throttle.setDelay(seconds(3));
    EXPECT_EQ(delayOf("192.0.2.1"), seconds(6)) << "the same";
}

TEST_F(LoginThrottleTest, GivesEachSourceALineNowAndThen) {
    const auto line = [&](const char* host) {
        return throttle.refused(from(host), now, Why::guess);
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(line("192.0.2.1"), 0U) << "the first ones";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(line("192.0.2.1"), std::nullopt);
    EXPECT_EQ(line("192.0.2.2"), 5U) << "the first source leaves room for others";
    now += seconds(10);
    EXPECT_EQ(line("192.0.2.1"), 0U);
    EXPECT_EQ(line("192.0.2.1"), std::nullopt);
}

TEST_F(LoginThrottleTest, GivesASourceThatGoesOnNoMoreLines) {
    int lines = 0;
    for (int i = 0; i < 200; ++i, now += seconds(1)) {
        lines += throttle.refused(from("192.0.2.1"), now, Why::other).has_value();
    }
    EXPECT_EQ(lines, 2 + 20) << "the first ones, then one in ten seconds";
}

TEST_F(LoginThrottleTest, LimitsTheLinesOfAllSources) {
    const auto line = [&](int i) {
        return throttle.refused(from("192.0.2." + std::to_string(i)), now, Why::guess);
    };
    for (int i = 1; i <= 10; ++i) EXPECT_EQ(line(i), 0U);
    for (int i = 11; i <= 18; ++i) EXPECT_EQ(line(i), std::nullopt);
    now += seconds(1);
    EXPECT_EQ(line(19), 8U);
}

TEST(UnsaidText, SaysHowManyHadNoLine) {
    EXPECT_EQ(unsaidText(0), "");
    EXPECT_EQ(unsaidText(12), ", 12 more since the last line");
}

}  // namespace
}  // namespace router
