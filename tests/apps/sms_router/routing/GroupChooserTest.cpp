#include "sms_router/routing/GroupChooser.h"

#include <map>

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;

// Three connectors: costs 3, 1, 1; weights 5, 1, 1.
class GroupChooserTest : public ::testing::Test {
  protected:
    GroupChooserTest() {
        plan_.connector("a", 3, 5);
        plan_.connector("b", 1, 1);
        plan_.connector("c", 1, 1);
        setLive(board_, {0, 1, 2});
    }

    GroupChooser chooser(Balance balance,
                         std::vector<std::vector<std::size_t>> tiers = {{0, 1, 2}}) {
        plan_.config().groups.clear();
        plan_.group(balance, std::move(tiers));
        return GroupChooser(plan_.config(), board_);
    }

    // The names of those taken, "-" for none.
    static std::string take(GroupChooser& chooser, int count) {
        std::string names;
        for (int i = 0; i < count; ++i) {
            const auto choice = chooser.next(0);
            names += choice ? static_cast<char>('a' + choice->connector) : '-';
            if (choice) chooser.moveOn(0, *choice);
        }
        return names;
    }

    static std::map<std::size_t, int> shares(const GroupChooser& chooser, int messages) {
        std::map<std::size_t, int> counts;
        for (int i = 0; i < messages; ++i)
            ++counts[chooser.forMessage(0, static_cast<std::uint64_t>(i) * 77)->connector];
        return counts;
    }

    Plan plan_;
    ConnectorBoard board_{3};
};

TEST_F(GroupChooserTest, TakesTurns) {
    GroupChooser group = chooser(Balance::roundRobin);
    EXPECT_EQ(take(group, 7), "abcabca");
}

TEST_F(GroupChooserTest, LeavesOutOfItsTurnsWhoIsNotLive) {
    GroupChooser group = chooser(Balance::roundRobin);
    setLive(board_, {0, 2});
    EXPECT_EQ(take(group, 4), "acac");
    setLive(board_, {1});
    EXPECT_EQ(take(group, 2), "bb");
    setLive(board_, {});
    EXPECT_EQ(take(group, 1), "-");
}

TEST_F(GroupChooserTest, SaysWhatIsNextWithoutMovingOn) {
    for (const Balance balance : {Balance::roundRobin, Balance::weighted}) {
        GroupChooser group = chooser(balance);
        EXPECT_EQ(group.next(0)->connector, 0u);
        EXPECT_EQ(group.next(0)->connector, 0u);
    }
}

TEST_F(GroupChooserTest, GivesEachItsWeightSmoothly) {
    GroupChooser group = chooser(Balance::weighted);
    EXPECT_EQ(take(group, 14), "aabacaaaabacaa");
}

TEST_F(GroupChooserTest, SharesTheWeightOfWhoIsNotLive) {
    GroupChooser group = chooser(Balance::weighted);
    setLive(board_, {1, 2});
    EXPECT_EQ(take(group, 4), "bcbc");
}

TEST_F(GroupChooserTest, TakesTheCheapestThenTheFewestOutstanding) {
    GroupChooser group = chooser(Balance::cheapest);
    board_[1].outstanding = 2;
    board_[2].outstanding = 1;
    EXPECT_EQ(take(group, 2), "cc");
    board_[2].outstanding = 3;
    EXPECT_EQ(take(group, 2), "bb");
    setLive(board_, {0});
    EXPECT_EQ(take(group, 1), "a");
}

TEST_F(GroupChooserTest, TakesTheFewestOutstanding) {
    GroupChooser group = chooser(Balance::fewestOutstanding);
    board_[0].outstanding = 5;
    board_[1].outstanding = 4;
    board_[2].outstanding = 6;
    EXPECT_EQ(take(group, 2), "bb");
    setLive(board_, {0, 2});
    EXPECT_EQ(take(group, 1), "a");
}

TEST_F(GroupChooserTest, LetsEqualsTakeTurns) {
    GroupChooser fewest = chooser(Balance::fewestOutstanding);
    EXPECT_EQ(take(fewest, 4), "abca");
    GroupChooser cheapest = chooser(Balance::cheapest);
    EXPECT_EQ(take(cheapest, 4), "bcbc");
}

TEST_F(GroupChooserTest, UsesALaterTierOnlyWhenNobodyOfTheEarlierIsLive) {
    GroupChooser group = chooser(Balance::roundRobin, {{0, 1}, {2}});
    EXPECT_EQ(take(group, 4), "abab");
    setLive(board_, {1, 2});
    EXPECT_EQ(take(group, 2), "bb");
    setLive(board_, {2});
    EXPECT_EQ(take(group, 2), "cc");
    EXPECT_EQ(group.forMessage(0, 1)->connector, 2u);
    setLive(board_, {0, 2});
    EXPECT_EQ(take(group, 2), "aa");
    EXPECT_EQ(group.forMessage(0, 1)->connector, 0u);
}

TEST_F(GroupChooserTest, SpreadsMessagesEvenlyByTheirHash) {
    for (const Balance balance : {Balance::roundRobin, Balance::fewestOutstanding}) {
        const GroupChooser group = chooser(balance);
        auto counts = shares(group, 3000);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(counts[i], 1000, 150);
    }
}

TEST_F(GroupChooserTest, SpreadsMessagesByWeight) {
    auto counts = shares(chooser(Balance::weighted), 7000);
    EXPECT_NEAR(counts[0], 5000, 300);
    EXPECT_NEAR(counts[1], 1000, 200);
    EXPECT_NEAR(counts[2], 1000, 200);
}

TEST_F(GroupChooserTest, SpreadsMessagesAmongTheCheapest) {
    auto counts = shares(chooser(Balance::cheapest), 2000);
    EXPECT_EQ(counts[0], 0);
    EXPECT_NEAR(counts[1], 1000, 150);
    EXPECT_NEAR(counts[2], 1000, 150);
}

TEST_F(GroupChooserTest, AgreesWithAnotherThatHasADifferentPast) {
    GroupChooser one = chooser(Balance::weighted);
    const GroupChooser other = one;
    take(one, 5);
    for (std::uint64_t message = 0; message < 100; ++message)
        EXPECT_EQ(one.forMessage(0, message)->connector, other.forMessage(0, message)->connector);
}

TEST_F(GroupChooserTest, MovesOnlyTheMessagesOfAConnectorThatGoesAway) {
    const GroupChooser group = chooser(Balance::roundRobin);
    std::vector<std::size_t> before;
    for (std::uint64_t message = 0; message < 300; ++message)
        before.push_back(group.forMessage(0, message)->connector);
    setLive(board_, {0, 2});
    for (std::uint64_t message = 0; message < 300; ++message) {
        const std::size_t after = group.forMessage(0, message)->connector;
        EXPECT_NE(after, 1u);
        EXPECT_TRUE(before[message] == 1 || after == before[message]) << message;
    }
}

TEST_F(GroupChooserTest, LeavesOutWhoHasTooManyWaiting) {
    for (const Balance balance : {Balance::roundRobin, Balance::cheapest, Balance::weighted}) {
        GroupChooser group = chooser(balance, {{0}, {1}, {2}});
        plan_.config().groups[0].overflowQueue = 10;
        board_[0].queued = 10;
        EXPECT_EQ(take(group, 2), "bb");
        board_[1].queued = 12;
        EXPECT_EQ(take(group, 2), "cc");
        EXPECT_EQ(group.forMessage(0, 1)->connector, 2u);
        board_[2].queued = 11;
        EXPECT_EQ(take(group, 2), "aa") << "none has room";
        EXPECT_FALSE(group.nextWithRoom(0));
        for (std::size_t i = 0; i < 3; ++i) board_[i].queued = 0;
    }
}

TEST_F(GroupChooserTest, LeavesOutWhereMessagesWaitForTooLong) {
    GroupChooser group = chooser(Balance::roundRobin, {{0, 1}, {2}});
    plan_.config().groups[0].overflowAfter = std::chrono::hours(1);
    board_[0].queued = 1;
    board_[0].queuedSince = nio::Clock::now();
    EXPECT_EQ(take(group, 2), "ab");
    board_[0].queuedSince = nio::Clock::now() - std::chrono::hours(2);
    EXPECT_EQ(take(group, 2), "bb");
    board_[0].queued = 0;
    EXPECT_EQ(take(group, 2), "ab");
}

TEST_F(GroupChooserTest, AfterAnOverflowWeightsGoOnAsBefore) {
    GroupChooser group = chooser(Balance::weighted);
    plan_.config().groups[0].overflowQueue = 1;
    board_[0].queued = 1;
    EXPECT_EQ(take(group, 20), "bcbcbcbcbcbcbcbcbcbc");
    board_[0].queued = 0;
    const std::string next = take(group, 14);
    EXPECT_NEAR(static_cast<double>(std::count(next.begin(), next.end(), 'a')), 10, 1);
}

TEST_F(GroupChooserTest, TakesAConnectorThatIsNotOnTheBoardForDead) {
    plan_.connector("d");
    GroupChooser group = chooser(Balance::roundRobin, {{3, 1}});
    EXPECT_EQ(take(group, 2), "bb");
}

}  // namespace
}  // namespace router
