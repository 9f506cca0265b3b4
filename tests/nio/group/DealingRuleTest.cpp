#include <nio/group/DealingRule.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using testing::Each;
using testing::ElementsAre;

class DealingRuleTest : public testing::Test {
  protected:
    DealingRuleTest() {
        for (int i = 0; i < 3; ++i) threads_.push_back(std::make_unique<SelectorThread>());
    }
    // So that it counts, without being registered yet.
    void giveConnection(std::size_t index) {
        support::Link link = support::makeLink();
        ASSERT_TRUE(threads_[index]->registerChannelLater(
            std::make_unique<support::RecordingHandler>(std::move(link.channel), "c", journal_),
            Interest::none));
    }
    void stop(std::size_t index) {
        threads_[index]->requestClose({.deadline = std::chrono::milliseconds::zero()});
        while (threads_[index]->turn(std::chrono::nanoseconds::zero())) {
        }
    }

    support::Journal journal_;
    std::vector<std::unique_ptr<SelectorThread>> threads_;
};

TEST_F(DealingRuleTest, RoundRobinGoesFromOneToTheNext) {
    RoundRobin rule;
    std::vector<std::size_t> chosen;
    for (int i = 0; i < 7; ++i) chosen.push_back(rule.choose(threads_));
    EXPECT_THAT(chosen, ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST_F(DealingRuleTest, RoundRobinIsExactlyEvenAlsoFromManyThreads) {
    RoundRobin rule;
    std::vector<std::atomic<int>> counts(3);
    std::vector<std::thread> dealers;
    for (int i = 0; i < 3; ++i) {
        dealers.emplace_back([&] {
            for (int n = 0; n < 1000; ++n) ++counts[rule.choose(threads_)];
        });
    }
    for (std::thread& dealer : dealers) dealer.join();
    for (const auto& count : counts) EXPECT_EQ(count.load(), 1000);
}

TEST_F(DealingRuleTest, RoundRobinLeavesOutThoseThatTakeNoneUnlessAllDo) {
    stop(1);
    RoundRobin rule;
    std::vector<std::size_t> chosen;
    for (int i = 0; i < 6; ++i) chosen.push_back(rule.choose(threads_));
    EXPECT_THAT(chosen, ElementsAre(0, 2, 0, 2, 0, 2));
    stop(0);
    stop(2);
    for (int i = 0; i < 3; ++i) EXPECT_LT(rule.choose(threads_), 3u);
}

TEST_F(DealingRuleTest, FewestConnectionsChoosesTheOneWithTheFewest) {
    giveConnection(0);
    giveConnection(2);
    FewestConnections rule;
    std::vector<std::size_t> chosen;
    for (int i = 0; i < 4; ++i) chosen.push_back(rule.choose(threads_));
    EXPECT_THAT(chosen, Each(1u));
}

TEST_F(DealingRuleTest, FewestConnectionsPrefersAcceptingDispatchers) {
    giveConnection(0);
    giveConnection(2);
    giveConnection(2);
    stop(1);
    FewestConnections rule;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(rule.choose(threads_), 0u);
    stop(0);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(rule.choose(threads_), 2u);
    stop(2);
    for (int i = 0; i < 4; ++i) EXPECT_LT(rule.choose(threads_), 3u);
}

TEST_F(DealingRuleTest, FewestConnectionsIsEvenAmongEquals) {
    FewestConnections rule;
    std::vector<int> counts(3);
    for (int i = 0; i < 9; ++i) {
        const std::size_t chosen = rule.choose(threads_);
        giveConnection(chosen);
        ++counts[chosen];
    }
    EXPECT_THAT(counts, Each(3));
}

}  // namespace
}  // namespace nio
