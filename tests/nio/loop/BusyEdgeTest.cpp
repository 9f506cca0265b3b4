#include <nio/loop/IdleWait.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

using namespace std::chrono_literals;

constexpr auto never = 1h;

int edgesUntilItGivesUp(BusyEdge& edge) {
    int edges = 0;
    for (; edge.budget() > 0ns; ++edges) edge.ended(never);
    return edges;
}

TEST(BusyEdge, IsOffWithoutTimeToSpend) {
    for (const auto most : {0ns, -1ns}) {
        BusyEdge edge(most);
        EXPECT_FALSE(edge.isOn());
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(edge.budget(), 0ns);
            edge.ended(0ns);
        }
    }
}

TEST(BusyEdge, NeverSpendsMoreThanASecond) {
    EXPECT_EQ(BusyEdge(never).budget(), 1s);
    EXPECT_EQ(BusyEdge(never).most(), 1s);
}

TEST(BusyEdge, SpendsAllItMayAtFirstAndAsLongAsThatPays) {
    BusyEdge edge(80us);
    for (const auto idle : {0us, 5us, 79us, 80us}) {
        EXPECT_EQ(edge.budget(), 80us);
        edge.ended(idle);
    }
    EXPECT_EQ(edge.budget(), 80us);
}

TEST(BusyEdge, HalvesItsTimeAfterEachWaitThatWasTooLong) {
    BusyEdge edge(80us);
    for (const auto expected : {80us, 40us, 20us, 10us, 0us}) {
        EXPECT_EQ(edge.budget(), expected);
        edge.ended(81us);
    }
    EXPECT_EQ(edge.budget(), 0us);
}

TEST(BusyEdge, SpendsTwiceAsMuchAfterEachEdgeThatWasShort) {
    BusyEdge edge(80us);
    EXPECT_EQ(edgesUntilItGivesUp(edge), 4);
    for (const auto expected : {0us, 10us, 20us, 40us, 80us}) {
        EXPECT_EQ(edge.budget(), expected);
        edge.ended(80us);
    }
    EXPECT_EQ(edge.budget(), 80us);
}

// A sleep takes longer than what it waits for: without a try it would never pay again.
TEST(BusyEdge, TriesAgainAtEverySixteenthEdgeWithAllItMaySpend) {
    BusyEdge edge(80us);
    edgesUntilItGivesUp(edge);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 15; ++i) {
            ASSERT_EQ(edge.budget(), 0us) << i;
            edge.ended(never);
        }
        EXPECT_EQ(edge.budget(), 80us);
        edge.ended(never);
    }
}

TEST(BusyEdge, GrowsBackAfterATryThatPaid) {
    BusyEdge edge(80us);
    edgesUntilItGivesUp(edge);
    for (int i = 0; i < 15; ++i) edge.ended(never);
    edge.ended(30us);
    EXPECT_EQ(edge.budget(), 10us);
    edge.ended(30us);
    EXPECT_EQ(edge.budget(), 20us);
}

int edgesUntilItTries(BusyEdge& edge, std::chrono::nanoseconds idle) {
    int edges = 0;
    for (; edge.budget() == 0ns; ++edges) edge.ended(idle);
    return edges + 1;
}

TEST(BusyEdge, KeepsOutOfTheWayOfOthersLongerEachTime) {
    BusyEdge edge(80us);
    for (const int expected : {32, 64, 128, 256, 512, 1024, 2048, 4096, 4096}) {
        edge.crowded();
        EXPECT_EQ(edgesUntilItTries(edge, 1us), expected) << "short edges are no reason to spin";
        EXPECT_EQ(edge.budget(), 80us);
    }
}

TEST(BusyEdge, IsItselfAgainOnceTheOthersHaveGone) {
    BusyEdge edge(80us);
    edge.crowded();
    edgesUntilItTries(edge, never);
    edge.ended(5us);
    EXPECT_EQ(edge.budget(), 10us);
    edgesUntilItGivesUp(edge);
    EXPECT_EQ(edgesUntilItTries(edge, never), 32) << "which one edge does not prove";
    for (int i = 0; i < 128; ++i) edge.ended(5us);
    edgesUntilItGivesUp(edge);
    EXPECT_EQ(edgesUntilItTries(edge, never), 16);
}

TEST(BusyEdge, SpendsInVainAtMostASixteenthOfItsTimePerEdge) {
    BusyEdge edge(80us);
    std::chrono::nanoseconds spent{0};
    for (int i = 0; i < 4 + 1600; ++i) {
        spent += edge.budget();
        edge.ended(never);
    }
    EXPECT_EQ(spent, 150us + 100 * 80us);
}

}  // namespace
}  // namespace nio
