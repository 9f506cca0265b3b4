#include "sms_router/model/FairQueue.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/FailingMemory.h"

namespace router {
namespace {

using Queue = FairQueue<int>;

std::vector<int> emptied(Queue& queue) {
    std::vector<int> items;
    while (!queue.empty()) items.push_back(queue.pop());
    return items;
}

// All of them find a place.
void push(Queue& queue, const std::string& account, const std::string& network,
          std::initializer_list<int> items) {
    for (int item : items) EXPECT_EQ(queue.push(account, network, std::move(item)), std::nullopt);
}

TEST(FairQueue, KeepsTheOrderOfALane) {
    Queue queue({10, 10});
    push(queue, "a", "here", {1, 2, 3});
    EXPECT_EQ(emptied(queue), (std::vector{1, 2, 3}));
}

TEST(FairQueue, LetsAccountsTakeTurns) {
    Queue queue({10, 10});
    push(queue, "long", "here", {1, 2, 3});
    push(queue, "a", "here", {10});
    push(queue, "z", "here", {20});
    EXPECT_EQ(emptied(queue), (std::vector{1, 10, 20, 2, 3}));
}

TEST(FairQueue, LetsTheNetworksOfAnAccountTakeTurns) {
    Queue queue({10, 10});
    push(queue, "a", "long", {1, 2, 3});
    push(queue, "a", "here", {10});
    push(queue, "a", "there", {20});
    EXPECT_EQ(emptied(queue), (std::vector{1, 10, 20, 2, 3}));
}

TEST(FairQueue, LetsNoAccountWaitForTheManyNetworksOfAnother) {
    Queue queue({10, 10});
    for (const char* network : {"n1", "n2", "n3", "n4"}) push(queue, "a", network, {1});
    push(queue, "b", "here", {10, 20});
    EXPECT_EQ(emptied(queue), (std::vector{1, 10, 1, 20, 1, 1}));
}

TEST(FairQueue, LetsNoNewLanesInBeforeThoseThatWait) {
    Queue queue({10, 10});
    push(queue, "b", "here", {1, 2});
    push(queue, "z", "here", {20});
    EXPECT_EQ(queue.pop(), 1);
    for (const char* const account : {"c", "d"}) push(queue, account, "here", {30});
    EXPECT_EQ(emptied(queue), (std::vector{20, 2, 30, 30}));
}

TEST(FairQueue, RefusesWhatIsTooMuchForOneLane) {
    Queue queue({10, 1});
    push(queue, "a", "here", {1});
    EXPECT_EQ(queue.push("a", "here", 2), 2);
    push(queue, "a", "there", {3});
    push(queue, "b", "here", {4});
    EXPECT_EQ(emptied(queue), (std::vector{1, 4, 3}));
    push(queue, "a", "here", {5});
    EXPECT_EQ(queue.pop(), 5) << "there is room again";
}

TEST(FairQueue, GivesUpTheLastOfTheLongestLaneWhenItIsFull) {
    Queue queue({6, 10});
    push(queue, "a", "here", {1, 2, 3});
    push(queue, "b", "here", {10, 20});
    push(queue, "b", "there", {30});
    EXPECT_EQ(queue.push("new", "here", 100), 20) << "of those with the most the newest";
    EXPECT_EQ(queue.push("new", "here", 200), 3);
    EXPECT_EQ(queue.push("a", "there", 300), 2);
    EXPECT_EQ(emptied(queue), (std::vector{1, 10, 100, 300, 30, 200}));
}

TEST(FairQueue, DropsTheNewestOfAnAccountWithManyNetworks) {
    Queue queue({3, 10});
    for (const char* network : {"n1", "n2", "n3"}) push(queue, "a", network, {network[1]});
    EXPECT_EQ(queue.push("a", "n4", '4'), '4');
    EXPECT_EQ(queue.push("b", "here", 10), '3');
    EXPECT_EQ(queue.push("b", "here", 20), 20) << "now it has as many";
    EXPECT_EQ(emptied(queue), (std::vector<int>{'1', 10, '2'}));
}

TEST(FairQueue, ThatMayHoldNothingIsEmpty) {
    for (const Queue::Limits limits : {Queue::Limits{0, 10}, Queue::Limits{10, 0}}) {
        Queue queue(limits);
        EXPECT_EQ(queue.push("a", "here", 1), 1);
        EXPECT_TRUE(queue.empty());
    }
}

TEST(FairQueue, IsAsItWasWhereMemoryIsShort) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    const std::string account = "an account whose name is allocated";
    const std::string network = "a network whose name is allocated";
    bool fails = true;
    for (std::size_t n = 0; fails; ++n) {
        Queue queue({10, 10});
        push(queue, "a", "here", {1});
        {
            const auto memory = support::FailingMemory::nth(n);
            try {
                (void)queue.push(account, network, 2);
            } catch (const std::bad_alloc&) {
            }
            fails = memory.hasFailed();
        }
        EXPECT_EQ(emptied(queue), fails ? std::vector{1} : (std::vector{1, 2}));
    }
}

}  // namespace
}  // namespace router
