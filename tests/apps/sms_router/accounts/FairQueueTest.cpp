#include "sms_router/accounts/FairQueue.h"

#include <gtest/gtest.h>

#include <vector>

namespace router {
namespace {

std::vector<int> emptied(FairQueue<int>& queue) {
    std::vector<int> items;
    while (!queue.empty()) items.push_back(queue.pop());
    return items;
}

TEST(FairQueue, KeepsTheOrderOfALane) {
    FairQueue<int> queue(10);
    for (int item : {1, 2, 3}) EXPECT_TRUE(queue.push("a", std::move(item)));
    EXPECT_EQ(emptied(queue), (std::vector{1, 2, 3}));
}

TEST(FairQueue, LetsLanesTakeTurns) {
    FairQueue<int> queue(10);
    for (int item : {1, 2, 3}) queue.push("long", std::move(item));
    queue.push("a", 10);
    queue.push("z", 20);
    EXPECT_EQ(emptied(queue), (std::vector{1, 10, 20, 2, 3}));
}

TEST(FairQueue, LetsNoNewLanesInBeforeThoseThatWait) {
    FairQueue<int> queue(10);
    for (int item : {1, 2}) queue.push("b", std::move(item));
    queue.push("z", 20);
    EXPECT_EQ(queue.pop(), 1);
    for (const char* const lane : {"c", "d"}) queue.push(lane, 30);
    EXPECT_EQ(emptied(queue), (std::vector{20, 2, 30, 30}));
}

TEST(FairQueue, RefusesWhatIsTooMuchForOneLane) {
    FairQueue<int> queue(1);
    EXPECT_TRUE(queue.push("a", 1));
    EXPECT_FALSE(queue.push("a", 2));
    EXPECT_TRUE(queue.push("b", 3));
    EXPECT_EQ(emptied(queue), (std::vector{1, 3}));
    EXPECT_TRUE(queue.push("a", 4)) << "there is room again";
}

TEST(FairQueue, ThatMayHoldNothingIsEmpty) {
    FairQueue<int> queue(0);
    EXPECT_FALSE(queue.push("a", 1));
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace router
