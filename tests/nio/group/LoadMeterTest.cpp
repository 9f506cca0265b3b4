#include <nio/group/LoadMeter.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include <nio/loop/SelectorThread.h>

namespace nio {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(LoadMeter, ReportsTheBusyShareSinceTheLastReading) {
    std::atomic<bool> ends{false};
    std::vector<std::unique_ptr<SelectorThread>> threads;
    for (int i = 0; i < 2; ++i) threads.push_back(std::make_unique<SelectorThread>());
    for (auto& thread : threads) thread->start();
    LoadMeter meter;
    EXPECT_EQ(meter.age(), Clock::duration::max());
    EXPECT_THAT(meter.look(threads), ElementsAre(0, 0)) << "there was no look before";
    ASSERT_TRUE(threads[0]->invokeLater([&] {
        while (!ends) {
        }
    }));
    const auto begin = threads[0]->life().busyTime();
    while (threads[0]->life().busyTime() < begin + 5ms) {
    }
    const std::vector<double> shares = meter.look(threads);
    EXPECT_GT(shares[0], 0);
    EXPECT_LE(shares[0], 1);
    EXPECT_LT(shares[1], shares[0]);
    EXPECT_LT(meter.age(), Clock::duration::max());
    ends = true;
}

TEST(LoadMeter, ADispatcherWithoutAThreadDoesNothing) {
    std::vector<std::unique_ptr<SelectorThread>> threads;
    threads.push_back(std::make_unique<SelectorThread>());
    LoadMeter meter;
    (void)meter.look(threads);
    threads[0]->turn(0ns);
    EXPECT_THAT(meter.look(threads), ElementsAre(0));
}

}  // namespace
}  // namespace nio
