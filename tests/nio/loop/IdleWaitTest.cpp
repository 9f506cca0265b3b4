#include <nio/channel/ReadinessIo.h>
#include <nio/loop/IdleWait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "nio/sys/KernelTesting.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr kernel::WaitTime noWait = 0ns;
constexpr kernel::WaitTime endless = std::nullopt;

// Finds nothing but what it is told; writes down how long it was to wait, and sleeps only as long
// as told here.
class WatchedSelector final : public Selector {
  public:
    std::string_view name() const override { return "watched"; }
    ChannelIo& io() override { return io_; }

    std::size_t looks() const {
        return static_cast<std::size_t>(std::count(waits.begin(), waits.end(), noWait));
    }
    std::size_t sleeps() const { return waits.size() - looks(); }

    std::vector<kernel::WaitTime> waits;
    std::function<void()> onLook = [] {};
    std::function<void()> onSleep = [] {};
    SelectionKey* found = nullptr;  // by a sleep
    std::chrono::nanoseconds sleepsFor{0};

  private:
    Result<void> watch(SelectionKey&) override { return {}; }
    void unwatch(SelectionKey&) override {}
    Result<void> rearm(SelectionKey&) override { return {}; }
    Result<void> wait(kernel::WaitTime wait) override NIO_REQUIRES(onDispatcher) {
        waits.push_back(wait);
        if (wait == noWait) {
            onLook();
        } else {
            for (const TimePoint end = Clock::after(sleepsFor); Clock::now() < end;) {
            }
            onSleep();
            if (found != nullptr) offer(*found, Interest::read, false);
        }
        return {};
    }

    ReadinessIo io_{1};
};

struct PipeEnd final : SelectableChannel {
    PipeEnd() : SelectableChannel(UniqueFd()) {}
};

struct Key final : SelectionKey {
    using SelectionKey::SelectionKey;
};

class IdleWaitTest : public testing::Test {
  protected:
    bool wakeUpIsSignalled() {
        pollfd entry{selector_.wakeUp()->fd(), POLLIN, 0};
        return kernel::waitPoll({&entry, 1}, 0ns).value() == 1;
    }
    void post() {
        ASSERT_TRUE(queue_.push([] {}));
    }
    void postAtLook(std::size_t number) {
        selector_.onLook = [this, number] {
            if (selector_.waits.size() == number) post();
        };
    }
    // The looks of one edge that ends after `idle`.
    std::size_t looksOfEdge(IdleWait& idle, std::chrono::nanoseconds sleep) {
        selector_.waits.clear();
        selector_.sleepsFor = sleep;
        EXPECT_TRUE(idle.select(endless));
        return selector_.looks();
    }

    // Turns one after the other, until one waits like this.
    bool comesToWait(IdleWait& idle, kernel::WaitTime wait,
                     const std::function<bool(kernel::WaitTime)>& like) {
        const TimePoint end = Clock::now() + kerneltest::patience;
        while (Clock::now() < end) {
            EXPECT_TRUE(idle.select(endless));
            selector_.waits.clear();
            EXPECT_TRUE(idle.select(wait));
            if (like(selector_.waits.back())) return true;
        }
        return false;
    }

    // The turns that gather, one after the other, from the first one on.
    int turnsThatGather(IdleWait& idle) {
        const TimePoint end = Clock::now() + kerneltest::patience;
        const auto gathers = [&] {
            selector_.waits.clear();
            EXPECT_TRUE(idle.select(1h));
            queue_.runBatch(100, [](auto&) {});
            return *selector_.waits.back() < 1h;
        };
        while (!gathers() && Clock::now() < end) {
        }
        int turns = 1;
        while (gathers() && Clock::now() < end) ++turns;
        return turns;
    }

    WatchedSelector selector_;
    TaskQueue queue_{selector_.wakeUp(), 100};
};

TEST_F(IdleWaitTest, SleepsAtOnceWithoutABusyEdge) {
    IdleWait idle(selector_, queue_, WaitPolicy(0ns));
    ASSERT_TRUE(idle.select(endless));
    ASSERT_TRUE(idle.select(5ms));
    EXPECT_THAT(selector_.waits, ElementsAre(endless, kernel::WaitTime(5ms)));
}

TEST_F(IdleWaitTest, LooksOnceWhileTasksWaitOrNobodyMayWait) {
    IdleWait idle(selector_, queue_, WaitPolicy(1s));
    ASSERT_TRUE(idle.select(0ns));
    post();
    ASSERT_TRUE(idle.select(endless));
    EXPECT_THAT(selector_.waits, ElementsAre(noWait, noWait));
}

TEST_F(IdleWaitTest, LooksManyTimesBeforeItSleeps) {
    IdleWait idle(selector_, queue_, WaitPolicy(50ms));
    ASSERT_TRUE(idle.select(endless));
    EXPECT_GT(selector_.looks(), 1u);
    EXPECT_EQ(selector_.sleeps(), 1u);
    EXPECT_EQ(selector_.waits.back(), endless);
}

TEST_F(IdleWaitTest, CountsAsAwakeWhileItLooks) {
    IdleWait idle(selector_, queue_, WaitPolicy(1s));
    postAtLook(3);
    ASSERT_TRUE(idle.select(endless));
    EXPECT_THAT(selector_.waits, ElementsAre(noWait, noWait, noWait));
    EXPECT_FALSE(wakeUpIsSignalled());
    EXPECT_TRUE(queue_.hasWork());
}

TEST_F(IdleWaitTest, IsWokenByAPostOnceItSleeps) {
    IdleWait idle(selector_, queue_, WaitPolicy(0ns));
    ASSERT_TRUE(queue_.prepareToSleep());
    post();
    EXPECT_TRUE(wakeUpIsSignalled());
}

TEST_F(IdleWaitTest, LooksNoLongerThanItMayWait) {
    IdleWait idle(selector_, queue_, WaitPolicy(1s));
    ASSERT_TRUE(idle.select(100us));
    EXPECT_GE(selector_.looks(), 1u);
    EXPECT_EQ(selector_.sleeps(), 0u) << "its time is over";
}

TEST_F(IdleWaitTest, SleepsOnlyForWhatTheLooksHaveLeft) {
    IdleWait idle(selector_, queue_, WaitPolicy(1ms));
    ASSERT_TRUE(idle.select(1h));
    ASSERT_EQ(selector_.sleeps(), 1u);
    EXPECT_LE(*selector_.waits.back(), 1h - 1ms);
}

// Where other programs have the CPU meanwhile, it gives up even sooner.
TEST_F(IdleWaitTest, SoonSleepsAtOnceWhereNothingComes) {
    constexpr auto most = 100us;
    IdleWait idle(selector_, queue_, WaitPolicy(most));
    EXPECT_GT(looksOfEdge(idle, 2 * most), 0u);
    for (int edge = 1; edge < 4; ++edge) looksOfEdge(idle, 2 * most);
    int edgesWithLooks = 0;
    for (int edge = 0; edge < 160; ++edge) edgesWithLooks += looksOfEdge(idle, 2 * most) > 0;
    EXPECT_LE(edgesWithLooks, 10) << "it tries at every sixteenth edge at most";
}

TEST_F(IdleWaitTest, SoonSleepsAtOnceWhereItsTimeOutEndsEachLook) {
    IdleWait idle(selector_, queue_, WaitPolicy(1s));
    for (int edge = 0; edge < 20; ++edge) ASSERT_TRUE(idle.select(100us));
    EXPECT_GE(selector_.sleeps(), 10u);
}

TEST_F(IdleWaitTest, SleepsAtOnceAndLongWhenOthersHaveItsCpu) {
    constexpr auto most = 50ms;
    IdleWait idle(selector_, queue_, WaitPolicy(most));
    // Of which it sees nothing but that a look took long.
    selector_.onLook = [&] {
        if (selector_.waits.size() < 2) return;
        for (const TimePoint end = Clock::after(most + 1ms); Clock::now() < end;) {
        }
    };
    EXPECT_EQ(looksOfEdge(idle, 0ns), 2u);
    EXPECT_EQ(selector_.sleeps(), 1u);
    for (int edge = 1; edge < 32; ++edge) EXPECT_EQ(looksOfEdge(idle, 0ns), 0u) << edge;
    EXPECT_GT(looksOfEdge(idle, 0ns), 0u);
}

TEST_F(IdleWaitTest, LooksAgainWhenEdgesAreShort) {
    IdleWait idle(selector_, queue_, WaitPolicy(100us));
    for (int edge = 0; edge < 4; ++edge) looksOfEdge(idle, 200us);
    ASSERT_EQ(looksOfEdge(idle, 0ns), 0u) << "given up";
    int edges = 0;
    while (edges < 5000 && looksOfEdge(idle, 0ns) == 0) ++edges;
    EXPECT_LT(edges, 5000);
}

TEST_F(IdleWaitTest, SaysHowLongItHasSpun) {
    IdleWait sleeper(selector_, queue_, WaitPolicy(0ns));
    EXPECT_TRUE(sleeper.select(endless));
    EXPECT_EQ(sleeper.spun(), 0ns);
    // Short, for others to disturb few of them: those are not counted.
    IdleWait spinner(selector_, queue_, WaitPolicy(20us));
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (spinner.spun() == 0ns && Clock::now() < end) EXPECT_TRUE(spinner.select(endless));
    EXPECT_GT(spinner.spun(), 0ns);
}

TEST_F(IdleWaitTest, GathersForAWhileBeforeItSelects) {
    IdleWait idle(selector_, queue_, WaitPolicy(0ns, 1ms));
    EXPECT_TRUE(comesToWait(idle, 1h, [](kernel::WaitTime wait) { return wait < 1h; }));
    EXPECT_GE(*selector_.waits.back(), 1h - 1ms);
}

TEST_F(IdleWaitTest, GathersNoLongerThanItMayWait) {
    IdleWait idle(selector_, queue_, WaitPolicy(0ns, 10ms));
    EXPECT_TRUE(comesToWait(idle, 100us, [](kernel::WaitTime wait) { return wait == noWait; }));
}

// One round of eight pauses, and some turns that were too long for a pause.
constexpr int turnsOfATrial = 20;

TEST_F(IdleWaitTest, StopsGatheringForALoneTask) {
    IdleWait idle(selector_, queue_, WaitPolicy(0ns, 1ms));
    selector_.onSleep = [this] { post(); };
    EXPECT_LE(turnsThatGather(idle), turnsOfATrial);
}

TEST_F(IdleWaitTest, StopsGatheringForALoneKeyWithoutBytes) {
    DispatcherIdentity identity("test");
    const DispatcherIdentity::Turn turn(identity);
    const SelectionKey::Context context{{identity, selector_.io()}, selector_};
    PipeEnd channel;
    Key key(context, channel, Interest::read);
    selector_.found = &key;
    IdleWait idle(selector_, queue_, WaitPolicy(0ns, 1ms));
    EXPECT_LE(turnsThatGather(idle), turnsOfATrial);
}

TEST_F(IdleWaitTest, GathersNothingWhileTasksWait) {
    IdleWait idle(selector_, queue_, WaitPolicy(0ns, 1ms));
    EXPECT_TRUE(comesToWait(idle, 1h, [](kernel::WaitTime wait) { return wait < 1h; }));
    post();
    selector_.waits.clear();
    ASSERT_TRUE(idle.select(endless));
    EXPECT_THAT(selector_.waits, ElementsAre(noWait));
    EXPECT_TRUE(queue_.hasWork());
}

}  // namespace
}  // namespace nio
