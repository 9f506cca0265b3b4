#include <nio/connection/Closing.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

using namespace std::chrono_literals;

class ClosingTest : public testing::Test {
  protected:
    void SetUp() override {
        closing.useDeadline(queue, [this] { ++expired; });
    }
    static DrainOptions drainOptions() {
        DrainOptions options;
        options.deadline = 40s;
        options.quietPeriod = 15s;
        options.grace = 20s;
        options.readBudgetBytes = 100;
        return options;
    }
    // The time from now to the deadline is at most this, and was when `set` began.
    template <class F>
    void expectDeadline(std::chrono::milliseconds time, F&& set) {
        const TimePoint before = Clock::now();
        set();
        ASSERT_TRUE(queue.earliest().has_value());
        EXPECT_GE(*queue.earliest(), before + time);
        EXPECT_LE(*queue.earliest(), Clock::now() + time);
        EXPECT_EQ(queue.size(), 1u);
    }

    DispatcherIdentity owner{"owner"};
    DispatcherIdentity::Turn turn{owner};
    DeadlineQueue queue{owner};
    int expired = 0;
    Closing closing{30s};
};

TEST_F(ClosingTest, SetsNoDeadlineByItself) {
    closing.setReason(Errc::cancelled);
    closing.discard(10);
    EXPECT_EQ(queue.size(), 0u);
    EXPECT_FALSE(closing.isLingering());
}

TEST_F(ClosingTest, KeepsTheReasonUntilItIsTaken) {
    EXPECT_EQ(closing.takeReason(), std::nullopt);
    closing.setReason(Error(Errc::cancelled, "why"));
    const std::optional<Error> reason = closing.takeReason();
    ASSERT_TRUE(reason.has_value());
    EXPECT_EQ(reason->context(), "why");
    EXPECT_EQ(closing.takeReason(), std::nullopt);
}

TEST_F(ClosingTest, AddsUpDiscardedInput) {
    closing.discard(10);
    closing.discard(5);
    EXPECT_EQ(closing.discardedBytes(), 15u);
}

TEST_F(ClosingTest, OnlyTheFirstDeadlineFunctionCounts) {
    closing.useDeadline(queue, [this] { expired += 10; });
    closing.linger(0ms, 0);
    Deadline* due = queue.takeDue(Clock::now() + 1ms);
    ASSERT_NE(due, nullptr);
    due->expire();
    EXPECT_EQ(expired, 1);
}

TEST_F(ClosingTest, LingersForTheLingerTimeout) {
    expectDeadline(30s, [&] { closing.linger(60s, 0); });
    EXPECT_TRUE(closing.isLingering());
}

TEST_F(ClosingTest, LingersNoLongerThanTheLimit) {
    expectDeadline(10s, [&] { closing.linger(10s, 0); });
    const TimePoint end = *queue.earliest();
    closing.linger(60s, 0);
    EXPECT_EQ(queue.earliest(), end) << "progress does not move the limit";
}

TEST_F(ClosingTest, EndsWhenThePeerTakesNothing) {
    closing.linger(60s, 100);
    EXPECT_FALSE(closing.waitsForPeer(true, 100));
    closing.linger(60s, 100);
    EXPECT_FALSE(closing.waitsForPeer(false, 0)) << "all was delivered";
}

TEST_F(ClosingTest, WaitsWhileThePeerTakesOutput) {
    closing.linger(60s, 100);
    expectDeadline(30s, [&] { EXPECT_TRUE(closing.waitsForPeer(true, 90)); });
    EXPECT_FALSE(closing.waitsForPeer(true, 90));
}

TEST_F(ClosingTest, EndsAtTheLimitWhateverThePeerTakes) {
    closing.linger(0ms, 100);
    EXPECT_FALSE(closing.waitsForPeer(true, 90));
}

TEST_F(ClosingTest, DrainWaitsForTheQuietPeriod) {
    expectDeadline(15s, [&] { closing.drain(drainOptions()); });
    expectDeadline(15s, [&] { closing.restartQuietPeriod(); });
}

TEST_F(ClosingTest, InputRestartsTheQuietPeriod) {
    closing.drain(drainOptions());
    expectDeadline(15s, [&] { closing.spend(99, true); });
    EXPECT_FALSE(closing.isReadBudgetSpent());
}

TEST_F(ClosingTest, TheGraceLimitsInputThatKeepsArriving) {
    DrainOptions options = drainOptions();
    options.grace = 10s;
    const TimePoint before = Clock::now();
    closing.drain(options);
    const TimePoint after = Clock::now();
    closing.spend(1, true);
    EXPECT_GE(*queue.earliest(), before + 10s);
    EXPECT_LE(*queue.earliest(), after + 10s);
    expectDeadline(15s, [&] { closing.spend(1, false); });
}

TEST_F(ClosingTest, AfterTheGraceInputEndsTheQuietPeriod) {
    DrainOptions options = drainOptions();
    options.grace = 0s;
    closing.drain(options);
    expectDeadline(0ms, [&] { closing.spend(1, true); });
}

TEST_F(ClosingTest, SpentReadBudgetEndsTheQuietPeriod) {
    closing.drain(drainOptions());
    expectDeadline(0ms, [&] { closing.spend(150, true); });
    EXPECT_TRUE(closing.isReadBudgetSpent());
}

TEST_F(ClosingTest, SpentReadBudgetMayBeIgnored) {
    closing.drain(drainOptions());
    expectDeadline(15s, [&] { closing.spend(150, false); });
}

TEST_F(ClosingTest, BusyConnectionGetsAnotherQuietPeriod) {
    closing.drain(drainOptions());
    for (int i = 0; i < 3; ++i) {
        expectDeadline(15s, [&] { EXPECT_TRUE(closing.waitsForQuiet(true)); });
    }
}

TEST_F(ClosingTest, ReadsOnceMoreBeforeItIsQuiet) {
    closing.drain(drainOptions());
    expectDeadline(0ms, [&] { EXPECT_TRUE(closing.waitsForQuiet(false)); });
    EXPECT_FALSE(closing.waitsForQuiet(false));
    closing.spend(1, true);
    EXPECT_TRUE(closing.waitsForQuiet(false)) << "it was not quiet";
}

TEST_F(ClosingTest, DrainLingersForAQuarterOfItsDeadline) {
    closing.drain(drainOptions());
    expectDeadline(10s, [&] { closing.linger(60s, 0); });
}

TEST_F(ClosingTest, DrainShortensALingerThatHasBegun) {
    closing.linger(60s, 0);
    expectDeadline(10s, [&] { closing.drain(drainOptions()); });
}

TEST_F(ClosingTest, DrainHasNoLingerLimit) {
    closing.drain(drainOptions());
    closing.linger(0ms, 100);
    EXPECT_TRUE(closing.waitsForPeer(false, 90));
}

TEST_F(ClosingTest, DrainGivesUnsentOutputAllItsTime) {
    closing.drain(drainOptions());
    closing.linger(60s, 100);
    EXPECT_TRUE(closing.waitsForPeer(true, 100));
    EXPECT_FALSE(closing.waitsForPeer(false, 100));
}

}  // namespace
}  // namespace nio
