#include "echo_client/figures/Outages.h"

#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;

TEST(Outages, OfManyConnectionsAtOnceAreOne) {
    Outages outages;
    outages.add({2s, 3s, 1, 5, 0});
    outages.add({2010ms, 3050ms, 1, 7, 0});
    outages.add({3100ms, 3200ms, 0, 0, 40});
    ASSERT_EQ(outages.all().size(), 1u);
    EXPECT_EQ(outages.all()[0], (Outage{2s, 3200ms, 2, 12, 40}));
}

TEST(Outages, AreKeptByTimeAndJoinedByWhatLiesBetween) {
    Outages outages;
    outages.add({5s, 6s, 1, 0, 0});
    outages.add({1s, 2s, 1, 0, 0});
    ASSERT_EQ(outages.all().size(), 2u);
    EXPECT_EQ(outages.all()[0].from, 1s);
    Outages other;
    other.add({2s, 5s, 3, 0, 0});
    outages.merge(other);
    ASSERT_EQ(outages.all().size(), 1u);
    EXPECT_EQ(outages.all()[0], (Outage{1s, 6s, 5, 0, 0}));
}

TEST(Outages, BeyondTheLimitAreAddedToTheLastOne) {
    Outages outages;
    for (std::size_t i = 0; i < Outages::most + 5; ++i) {
        const std::chrono::seconds at(static_cast<int>(i));
        outages.add({at, at + 1ms, 1, 0, 0});
    }
    EXPECT_EQ(outages.all().size(), Outages::most);
    EXPECT_EQ(outages.all().back().connections, 6u);
}

TEST(Outages, SayFromWhenForHowLongAndHowManyMessages) {
    EXPECT_EQ(toString({2s, 3520ms, 50, 12, 4560}),
              "from 2.00 s for 1.52 s, 50 connections: 12 messages unanswered, 4560 sent late");
    EXPECT_EQ(toString({0s, 1s, 1, 1, 0}),
              "from 0 ns for 1.00 s, 1 connection: 1 message unanswered, 0 sent late");
}

}  // namespace
}  // namespace load
