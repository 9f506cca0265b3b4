#include <nio/loop/IdleWait.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace nio {
namespace {

using namespace std::chrono_literals;

constexpr auto never = 1h;

int edgesUntilItGivesUp(WaitPolicy& edge) {
    int edges = 0;
    for (; edge.spin() > 0ns; ++edges) edge.idled(never);
    return edges;
}

TEST(WaitPolicySpin, IsOffWithoutTimeToSpend) {
    for (const auto most : {0ns, -1ns}) {
        WaitPolicy edge(most);
        EXPECT_FALSE(edge.spins());
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(edge.spin(), 0ns);
            edge.idled(0ns);
        }
    }
}

TEST(WaitPolicySpin, NeverSpendsMoreThanASecond) {
    EXPECT_EQ(WaitPolicy(never).spin(), 1s);
    EXPECT_EQ(WaitPolicy(never).mostSpin(), 1s);
}

TEST(WaitPolicySpin, SpendsAllItMayAtFirstAndAsLongAsThatPays) {
    WaitPolicy edge(80us);
    for (const auto idle : {0us, 5us, 79us, 80us}) {
        EXPECT_EQ(edge.spin(), 80us);
        edge.idled(idle);
    }
    EXPECT_EQ(edge.spin(), 80us);
}

TEST(WaitPolicySpin, HalvesItsTimeAfterEachWaitThatWasTooLong) {
    WaitPolicy edge(80us);
    for (const auto expected : {80us, 40us, 20us, 10us, 0us}) {
        EXPECT_EQ(edge.spin(), expected);
        edge.idled(81us);
    }
    EXPECT_EQ(edge.spin(), 0us);
}

TEST(WaitPolicySpin, SpendsTwiceAsMuchAfterEachEdgeThatWasShort) {
    WaitPolicy edge(80us);
    EXPECT_EQ(edgesUntilItGivesUp(edge), 4);
    for (const auto expected : {0us, 10us, 20us, 40us, 80us}) {
        EXPECT_EQ(edge.spin(), expected);
        edge.idled(80us);
    }
    EXPECT_EQ(edge.spin(), 80us);
}

// A sleep takes longer than what it waits for: without a try it would never pay again.
TEST(WaitPolicySpin, TriesAgainAtEverySixteenthEdgeWithAllItMaySpend) {
    WaitPolicy edge(80us);
    edgesUntilItGivesUp(edge);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 15; ++i) {
            ASSERT_EQ(edge.spin(), 0us) << i;
            edge.idled(never);
        }
        EXPECT_EQ(edge.spin(), 80us);
        edge.idled(never);
    }
}

TEST(WaitPolicySpin, GrowsBackAfterATryThatPaid) {
    WaitPolicy edge(80us);
    edgesUntilItGivesUp(edge);
    for (int i = 0; i < 15; ++i) edge.idled(never);
    edge.idled(30us);
    EXPECT_EQ(edge.spin(), 10us);
    edge.idled(30us);
    EXPECT_EQ(edge.spin(), 20us);
}

int edgesUntilItTries(WaitPolicy& edge, std::chrono::nanoseconds idle) {
    int edges = 0;
    for (; edge.spin() == 0ns; ++edges) edge.idled(idle);
    return edges + 1;
}

TEST(WaitPolicySpin, KeepsOutOfTheWayOfOthersLongerEachTime) {
    WaitPolicy edge(80us);
    for (const int expected : {32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
        edge.crowded();
        EXPECT_EQ(edgesUntilItTries(edge, 1us), expected) << "short edges are no reason to spin";
        EXPECT_EQ(edge.spin(), 80us);
    }
}

TEST(WaitPolicySpin, IsItselfAgainOnceTheOthersHaveGone) {
    WaitPolicy edge(80us);
    edge.crowded();
    edgesUntilItTries(edge, never);
    edge.idled(5us);
    EXPECT_EQ(edge.spin(), 10us);
    edgesUntilItGivesUp(edge);
    EXPECT_EQ(edgesUntilItTries(edge, never), 32) << "which one edge does not prove";
    for (int i = 0; i < 128; ++i) edge.idled(5us);
    edgesUntilItGivesUp(edge);
    EXPECT_EQ(edgesUntilItTries(edge, never), 16);
}

TEST(WaitPolicySpin, SpendsInVainAtMostASixteenthOfItsTimePerEdge) {
    WaitPolicy edge(80us);
    std::chrono::nanoseconds spent{0};
    for (int i = 0; i < 4 + 1600; ++i) {
        spent += edge.spin();
        edge.idled(never);
    }
    EXPECT_EQ(spent, 150us + 100 * 80us);
}

// A dispatcher and its load: so many bytes arrive in a microsecond, each event has 100 of them, and
// a turn takes 5 us and 2 us for each event. Time is simulated.
class WaitPolicyModeration : public testing::Test {
  protected:
    static constexpr auto bound = 200us;

    // One turn, with `gap` between events; what it was delayed.
    std::chrono::nanoseconds openTurn(std::chrono::nanoseconds gap) {
        const auto worked = 5us + 2us * events_;
        const auto pause = policy_.pause(worked);
        const auto busy = worked + pause;
        since_ += busy;
        if (since_ < gap) since_ = gap;  // it sleeps until the next event
        const auto took = std::max<std::chrono::nanoseconds>(busy, since_);
        events_ = since_ / gap;
        since_ -= events_ * gap;
        if (took > busy) since_ = 0ns;
        selected(took);
        return pause;
    }
    // The same for peers that each wait for an answer: all of them send again `away` after it.
    std::chrono::nanoseconds closedTurn(long peers, std::chrono::nanoseconds away) {
        const auto worked = 5us + 2us * peers;
        const auto pause = policy_.pause(worked);
        events_ = peers;
        selected(std::max<std::chrono::nanoseconds>(worked + pause, worked + away));
        return pause;
    }
    void selected(std::chrono::nanoseconds took) {
        *brought_ += 100 * static_cast<std::uint64_t>(events_);
        policy_.selected(took, done_);
    }
    // The share of so many turns that were delayed, in per cent.
    template <class Turn>
    int delayed(int turns, Turn turn) {
        int count = 0;
        for (int i = 0; i < turns; ++i) {
            const std::chrono::nanoseconds pause = turn();
            EXPECT_LE(pause, bound);
            count += pause > 0ns;
        }
        return 100 * count / turns;
    }

    WaitPolicy policy_{0ns, bound};
    long events_ = 0;
    std::chrono::nanoseconds since_{0};
    WaitPolicy::Done done_;
    std::uint64_t* brought_ = &done_.bytes;  // what events bring
};

TEST_F(WaitPolicyModeration, IsOffWithoutABound) {
    policy_ = WaitPolicy(0ns, -1ns);
    EXPECT_FALSE(policy_.moderates());
    EXPECT_EQ(delayed(1000, [&] { return openTurn(20us); }), 0);
}

TEST_F(WaitPolicyModeration, NeverPausesLongerThanTenMilliseconds) {
    policy_ = WaitPolicy(0ns, 1h);
    events_ = 1;
    for (int i = 0; i < 10'000; ++i) selected(20us);
    ASSERT_TRUE(policy_.gathers());
    EXPECT_EQ(policy_.pause(0ns), 10ms);
}

TEST_F(WaitPolicyModeration, GathersUnderASteadyLoad) {
    delayed(200, [&] { return openTurn(20us); });
    EXPECT_GT(delayed(10'000, [&] { return openTurn(20us); }), 80);
    EXPECT_GE(events_, 5) << "in one turn";
}

TEST_F(WaitPolicyModeration, LeavesARareEventAlone) {
    EXPECT_EQ(delayed(10'000, [&] { return openTurn(150us); }), 0);
    EXPECT_EQ(delayed(1000, [&] { return openTurn(1s); }), 0);
}

TEST_F(WaitPolicyModeration, LeavesALoneRequestAlone) {
    EXPECT_LE(delayed(100'000, [&] { return closedTurn(1, 20us); }), 1);
}

TEST_F(WaitPolicyModeration, LeavesALoneTaskAlone) {
    brought_ = &done_.tasks;
    EXPECT_LE(delayed(100'000, [&] { return closedTurn(1, 20us); }), 1);
}

TEST_F(WaitPolicyModeration, LeavesALoneWatchAlone) {
    brought_ = &done_.keys;
    EXPECT_LE(delayed(100'000, [&] { return closedTurn(1, 20us); }), 1);
}

TEST_F(WaitPolicyModeration, LeavesALoneTaskAloneBesideRareBytes) {
    brought_ = &done_.tasks;
    int turn = 0;
    const int percent = delayed(100'000, [&] {
        if (++turn % 10 == 0) done_.bytes += 100;
        return closedTurn(1, 20us);
    });
    EXPECT_LE(percent, 1);
}

TEST_F(WaitPolicyModeration, GathersUnderASteadyLoadOfTasks) {
    brought_ = &done_.tasks;
    delayed(200, [&] { return openTurn(20us); });
    EXPECT_GT(delayed(10'000, [&] { return openTurn(20us); }), 80);
}

TEST_F(WaitPolicyModeration, GathersBytesThoughTasksAreFewer) {
    const auto turn = [&] {
        ++done_.tasks;  // one for all that a turn has found
        ++done_.keys;
        return openTurn(20us);
    };
    delayed(200, turn);
    EXPECT_GT(delayed(10'000, turn), 80);
}

TEST_F(WaitPolicyModeration, LeavesPeersAloneThatWaitForAnswers) {
    EXPECT_LE(delayed(100'000, [&] { return closedTurn(8, 20us); }), 2);
}

TEST_F(WaitPolicyModeration, TriesAgainAfterPeersHaveWaited) {
    delayed(100'000, [&] { return closedTurn(1, 20us); });
    delayed(20'000, [&] { return openTurn(20us); });
    EXPECT_GT(delayed(10'000, [&] { return openTurn(20us); }), 80);
}

TEST_F(WaitPolicyModeration, PausesOnlyForWhatTheTurnHasLeft) {
    delayed(2000, [&] { return openTurn(20us); });
    while (!policy_.gathers()) openTurn(20us);
    EXPECT_EQ(policy_.pause(60us), bound - 60us);
    EXPECT_EQ(policy_.pause(149us), bound - 149us);
    EXPECT_EQ(policy_.pause(150us), 0ns) << "a full turn needs no more";
    EXPECT_EQ(policy_.pause(1s), 0ns);
}

TEST_F(WaitPolicyModeration, EndsWithTheLoad) {
    delayed(2000, [&] { return openTurn(20us); });
    while (!policy_.gathers()) openTurn(20us);
    openTurn(1s);
    EXPECT_EQ(delayed(1000, [&] { return openTurn(300us); }), 0);
}

TEST_F(WaitPolicyModeration, EndsSoonAfterTheLoadHasFallen) {
    delayed(2000, [&] { return openTurn(20us); });
    delayed(8, [&] { return openTurn(150us); });
    EXPECT_EQ(delayed(1000, [&] { return openTurn(150us); }), 0);
}

TEST_F(WaitPolicyModeration, DoesNotSpinWhileItGathers) {
    policy_ = WaitPolicy(50us, bound);
    EXPECT_TRUE(policy_.spins());
    while (!policy_.gathers()) openTurn(20us);
    EXPECT_FALSE(policy_.spins());
    openTurn(1s);
    EXPECT_TRUE(policy_.spins());
}

}  // namespace
}  // namespace nio
