#include <nio/group/LeastBusy.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <nio/group/SelectorThreadGroup.h>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using Load = LeastBusy::Load;

std::size_t leastBusy(std::vector<Load> loads, std::size_t start = 0) {
    return LeastBusy::leastBusy(loads, start);
}

TEST(LeastBusy, ChoosesTheLeastShareOfACpu) {
    EXPECT_EQ(leastBusy({{0.9, 1, 1}, {0.2, 100, 100}, {0.5, 1, 1}}), 1u);
}

TEST(LeastBusy, TiesGoToTheFewestConnectionsThenInTurn) {
    EXPECT_EQ(leastBusy({{0.20, 9, 9}, {0.24, 3, 3}, {0.26, 0, 0}}), 1u);
    EXPECT_EQ(leastBusy({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0), 0u);
    EXPECT_EQ(leastBusy({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 5), 2u);
}

TEST(LeastBusy, ExpectsOfEachNewConnectionWhatTheOthersNeed) {
    EXPECT_EQ(leastBusy({{0.8, 40, 40}, {0.2, 10, 10}}), 1u);
    EXPECT_EQ(leastBusy({{0.8, 40, 40}, {0.2, 10, 60}}), 0u) << "fifty came since";
    EXPECT_EQ(leastBusy({{0.8, 40, 40}, {0.2, 10, 5}}), 1u) << "some went";
}

TEST(LeastBusy, LeavesOutThoseThatTakeNoneUnlessAllDo) {
    EXPECT_EQ(leastBusy({{0.9, 1, 1}, {0, 0, 0, false}, {0.5, 1, 1}}), 2u);
    EXPECT_EQ(leastBusy({{0.9, 1, 1, false}, {0.2, 0, 0, false}}), 1u);
}

TEST(LeastBusy, DealsNothingToADispatcherThatDrainsOrHasStopped) {
    std::vector<std::unique_ptr<SelectorThread>> threads;
    for (int i = 0; i < 3; ++i) threads.push_back(std::make_unique<SelectorThread>());
    LeastBusy rule;
    (void)rule.choose(threads);
    threads[1]->requestClose({.deadline = 0ms});
    while (threads[1]->turn(0ns)) {
    }
    for (int i = 0; i < 9; ++i) EXPECT_NE(rule.choose(threads), 1u);
}

TEST(LeastBusy, AStormIsDealtEvenlyAmongThoseThatDoNothing) {
    support::Journal journal;
    std::vector<std::unique_ptr<SelectorThread>> threads;
    for (int i = 0; i < 3; ++i) threads.push_back(std::make_unique<SelectorThread>());
    LeastBusy rule;
    std::vector<int> counts(3);
    for (int i = 0; i < 9; ++i) {
        const std::size_t chosen = rule.choose(threads);
        support::Link link = support::makeLink();
        ASSERT_TRUE(threads[chosen]->registerChannelLater(
            std::make_unique<support::RecordingHandler>(std::move(link.channel), "c", journal),
            Interest::none));
        ++counts[chosen];
    }
    EXPECT_THAT(counts, Each(3));
}

class BusyGroup : public testing::Test {
  protected:
    BusyGroup() {
        group_.start();
        EXPECT_TRUE(group_[0].invokeLater([this] {
            while (!ends_) {
            }
        }));
    }
    ~BusyGroup() override { ends_ = true; }

    static SelectorThreadGroupOptions options() {
        SelectorThreadGroupOptions options;
        options.threads = 2;
        options.dealing = std::make_unique<LeastBusy>(20ms);
        return options;
    }

    std::atomic<bool> ends_{false};
    SelectorThreadGroup group_{options()};
};

TEST_F(BusyGroup, IsNotDealtToWhereItIsBusy) {
    const TimePoint end = Clock::now() + kerneltest::patience;
    int inARow = 0;
    while (inARow < 5 && Clock::now() < end) {
        inARow = &group_.next() == &group_[1] ? inARow + 1 : 0;
        const TimePoint soon = Clock::now() + 25ms;
        while (Clock::now() < soon) std::this_thread::yield();
    }
    EXPECT_EQ(inARow, 5);
}

TEST_F(BusyGroup, UsesACpuWhereItIsBusy) {
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (group_[0].life().busyTime() < group_[1].life().busyTime() + 2ms && Clock::now() < end) {
    }
    EXPECT_GT(group_[0].life().busyTime(), group_[1].life().busyTime());
    ends_ = true;
    group_.requestClose();
    group_.join();
    EXPECT_EQ(group_[0].life().busyTime(), 0ns) << "it has no thread any more";
}

}  // namespace
}  // namespace nio
