#include <nio/timers/Timers.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <system_error>
#include <thread>

#include "support/FailingMemory.h"
#include "support/RefusedCall.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;

class TimersTest : public testing::Test {
  protected:
    // Until an expiry is in the dispatcher's queue; no turn is made.
    void waitUntilQueued(std::size_t count = 1) {
        const TimePoint end = Clock::now() + kerneltest::patience;
        while (dispatcher_->queue()->size() < count && Clock::now() < end)
            std::this_thread::yield();
        ASSERT_GE(dispatcher_->queue()->size(), count);
    }

    support::TestDispatcher dispatcher_;
    std::unique_ptr<Timers> timers_ = std::make_unique<Timers>();
    int calls_ = 0;
};

TEST_F(TimersTest, RunsItsTaskInATurnOfItsDispatcherAndNotBefore) {
    const TimePoint start = Clock::now();
    bool current = false;
    TimePoint ran{};
    Timer timer = timers_->after(5ms, *dispatcher_, [&] {
        current = dispatcher_->isCurrent();
        ran = Clock::now();
    });
    EXPECT_TRUE(timer.isPending());
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return ran != TimePoint{}; }));
    EXPECT_TRUE(current);
    EXPECT_GE(ran - start, 5ms);
    EXPECT_FALSE(timer.isPending());
    EXPECT_FALSE(timer.cancel()) << "it is over";
}

TEST_F(TimersTest, SayWhichCallOrThreadTheyLack) {
    const auto expectSaid = [](long refused, const char* what) {
        support::withRefusedCall(refused, EPERM, [&] {
            EXPECT_THAT([] { const Timers none; },
                        testing::ThrowsMessage<std::system_error>(testing::HasSubstr(what)));
        });
    };
    expectSaid(SYS_timerfd_settime, "timerfd_settime");
    expectSaid(SYS_clone3, "a thread for timers");
}

TEST_F(TimersTest, TheTimerOfNothingIsNotPendingAndCannotBeCancelled) {
    Timer timer;
    EXPECT_FALSE(timer.isPending());
    EXPECT_FALSE(timer.cancel());
}

TEST_F(TimersTest, GoesOnWhenItsHandleIsLetGo) {
    timers_->after(0ms, *dispatcher_, [&] { ++calls_; });
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return calls_ == 1; }));
}

TEST_F(TimersTest, NeverRunsAfterItWasCancelled) {
    Timer timer = timers_->after(1h, *dispatcher_, [&] { ++calls_; });
    EXPECT_TRUE(timer.cancel());
    EXPECT_FALSE(timer.isPending());
    EXPECT_FALSE(timer.cancel());
}

TEST_F(TimersTest, NeverRunsAfterCancelEvenIfItsExpiryIsQueued) {
    Timer timer = timers_->after(0ms, *dispatcher_, [&] { ++calls_; });
    waitUntilQueued();
    EXPECT_TRUE(timer.cancel());
    dispatcher_.turns(2);
    EXPECT_EQ(calls_, 0);
}

TEST_F(TimersTest, CanBeCancelledByAnEarlierTaskOfTheSameTurn) {
    Timer timer;
    ASSERT_TRUE(dispatcher_->invokeLater([&] { EXPECT_TRUE(timer.cancel()); }));
    timer = timers_->after(0ms, *dispatcher_, [&] { ++calls_; });
    waitUntilQueued(2);
    dispatcher_.turns(2);
    EXPECT_EQ(calls_, 0);
}

TEST_F(TimersTest, EitherRunsOrIsCancelledFromAnotherThread) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> ran{0};
        Timer timer = timers_->after(0ms, *dispatcher_, [&] { ++ran; });
        bool cancelled = false;
        std::thread other([&] { cancelled = timer.cancel(); });
        dispatcher_.turns(3);
        other.join();
        ASSERT_TRUE(dispatcher_.turnUntil([&] { return !timer.isPending(); }));
        dispatcher_.turns(2);
        ASSERT_EQ(ran.load(), cancelled ? 0 : 1);
    }
}

TEST_F(TimersTest, RunsAPeriodicTaskUntilItIsCancelled) {
    Timer timer;
    timer = timers_->every(1ms, *dispatcher_, [&] {
        if (++calls_ == 3) {
            EXPECT_TRUE(timer.cancel());
        }
    });
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return calls_ == 3; }));
    const TimePoint end = Clock::now() + 10ms;
    while (Clock::now() < end) dispatcher_->turn(1ms);
    EXPECT_EQ(calls_, 3);
}

TEST_F(TimersTest, ATimeOfAnyUnitMayBeTheLongest) {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    const auto call = [this] { ++calls_; };
    Timer days = timers_->after(hours::max(), *dispatcher_, call);
    Timer months = timers_->every(milliseconds::max(), *dispatcher_, call);
    bool isOver = false;
    timers_->after(hours::min(), *dispatcher_, [&] { isOver = true; });
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return isOver; }));
    EXPECT_EQ(calls_, 0);
    EXPECT_TRUE(days.isPending() && months.isPending());
}

TEST_F(TimersTest, QueuesAtMostOneExpiryOfAPeriodicTask) {
    Timer timer = timers_->every(1ms, *dispatcher_, [&] { ++calls_; });
    // The second timer is later by many periods of the first.
    Timer late = timers_->after(30ms, *dispatcher_, [&] {});
    waitUntilQueued(2);
    EXPECT_EQ(dispatcher_->queue()->size(), 2u);
    timer.cancel();
}

TEST_F(TimersTest, CancelsAllWhenItIsDestroyedFirst) {
    Timer queued = timers_->after(0ms, *dispatcher_, [&] { ++calls_; });
    Timer waiting = timers_->after(1h, *dispatcher_, [&] { ++calls_; });
    waitUntilQueued();
    timers_.reset();
    EXPECT_FALSE(queued.isPending());
    EXPECT_FALSE(waiting.isPending());
    dispatcher_.turns(2);
    EXPECT_EQ(calls_, 0);
    EXPECT_TRUE(waiting.cancel()) << "it will not run";
}

// Notes where it ends.
class Captured {
  public:
    Captured(SelectorThread& dispatcher, std::string& ended)
        : dispatcher_(dispatcher), ended_(ended) {}
    ~Captured() { ended_ = dispatcher_.isCurrent() ? "on its dispatcher" : "elsewhere"; }

  private:
    SelectorThread& dispatcher_;
    std::string& ended_;
};

class TimersCaptures : public TimersTest {
  protected:
    Task holding() {
        return [this, captured = std::make_unique<Captured>(*dispatcher_, ended_)] { ++calls_; };
    }
    void expectTheEndOnTheDispatcher() {
        EXPECT_TRUE(dispatcher_.turnUntil([&] { return !ended_.empty(); }));
        EXPECT_EQ(ended_, "on its dispatcher");
    }

    std::string ended_;
};

TEST_F(TimersCaptures, EndOnTheDispatcherOnceATaskHasRun) {
    const Timer kept = timers_->after(0ms, *dispatcher_, holding());
    expectTheEndOnTheDispatcher();
    EXPECT_EQ(calls_, 1);
}

TEST_F(TimersCaptures, EndOnTheDispatcherAlsoWhereNobodyHasKeptTheTimer) {
    timers_->after(0ms, *dispatcher_, holding());
    expectTheEndOnTheDispatcher();
}

TEST_F(TimersCaptures, EndOnTheDispatcherOnceATimerIsCancelled) {
    Timer waiting = timers_->after(1h, *dispatcher_, holding());
    EXPECT_TRUE(waiting.cancel());
    EXPECT_EQ(ended_, "") << "not inside the call: who calls may be what is captured";
    expectTheEndOnTheDispatcher();
}

TEST_F(TimersCaptures, EndOnTheDispatcherWithACancelledExpiryQueued) {
    Timer queued = timers_->after(0ms, *dispatcher_, holding());
    waitUntilQueued();
    EXPECT_TRUE(queued.cancel());
    expectTheEndOnTheDispatcher();
}

TEST_F(TimersCaptures, EndOnTheDispatcherAfterATaskCancelsItself) {
    Timer timer;
    auto captured = std::make_unique<Captured>(*dispatcher_, ended_);
    timer = timers_->every(1ms, *dispatcher_, [&timer, captured = std::move(captured)] {
        EXPECT_TRUE(timer.cancel());
    });
    expectTheEndOnTheDispatcher();
}

TEST_F(TimersCaptures, EndOnTheDispatcherOnceTheTimersHaveGone) {
    const Timer kept = timers_->after(1h, *dispatcher_, holding());
    timers_.reset();
    EXPECT_EQ(ended_, "");
    expectTheEndOnTheDispatcher();
}

TEST_F(TimersCaptures, EndOnTheDispatcherInsideAPeriodicTask) {
    auto captured = std::make_unique<Captured>(*dispatcher_, ended_);
    const Timer kept = timers_->every(1ms, *dispatcher_,
                                      [this, captured = std::move(captured)] { timers_.reset(); });
    expectTheEndOnTheDispatcher();
}

TEST_F(TimersTest, DropsAnExpiryForADispatcherThatHasStopped) {
    dispatcher_->requestClose();
    while (dispatcher_.turn()) {
    }
    Timer timer = timers_->after(0ms, *dispatcher_, [&] { ++calls_; });
    Timer periodic = timers_->every(1ms, *dispatcher_, [&] { ++calls_; });
    const TimePoint end = Clock::now() + kerneltest::patience;
    while ((timer.isPending() || periodic.isPending()) && Clock::now() < end) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(timer.isPending());
    EXPECT_FALSE(periodic.isPending());
    EXPECT_EQ(calls_, 0);
}

TEST_F(TimersTest, OutlivesADispatcherThatIsDestroyedFirst) {
    auto dispatcher = std::make_unique<SelectorThread>();
    Timer timer = timers_->after(1ms, *dispatcher, [&] { ++calls_; });
    dispatcher.reset();
    const TimePoint end = Clock::now() + kerneltest::patience;
    while (timer.isPending() && Clock::now() < end) std::this_thread::yield();
    EXPECT_FALSE(timer.isPending());
}

TEST_F(TimersTest, PutsAnExpiryIntoAQueueThatIsFull) {
    SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    support::TestDispatcher small("small", options);
    ASSERT_TRUE(small->invokeLater([] {}));
    ASSERT_FALSE(small->invokeLater([] {}));
    Timer timer = timers_->after(0ms, *small, [&] { ++calls_; });
    EXPECT_TRUE(small.turnUntil([&] { return calls_ == 1; }));
}

TEST_F(TimersTest, ExpiresThoughItsThreadIsOutOfMemoryForAMoment) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    std::size_t moments = 0;
    for (bool failed = true; failed; ++moments) {
        support::TestDispatcher dispatcher;
        Timers timers;
        int once = 0;
        int often = 0;
        const auto noMemory = support::FailingMemory::nthElsewhere(moments);
        timers.after(0ms, *dispatcher, [&] { ++once; });
        Timer timer = timers.every(1ms, *dispatcher, [&] { ++often; });
        ASSERT_TRUE(dispatcher.turnUntil([&] { return once > 0 && often >= 3; })) << moments;
        EXPECT_EQ(once, 1) << moments;
        EXPECT_TRUE(timer.cancel());
        failed = noMemory.hasFailed();
    }
    EXPECT_GT(moments, 1u) << "nothing failed";
}

TEST_F(TimersTest, ReportsATaskThatThrowsAndGoesOn) {
    Timer timer = timers_->every(1ms, *dispatcher_, [&] {
        if (++calls_ == 1) throw std::runtime_error("oh");
    });
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return calls_ == 2; }));
    EXPECT_THAT(dispatcher_.failures, testing::ElementsAre("task::invokeLater: oh"));
    timer.cancel();
}

TEST_F(TimersTest, NoTaskBeginsAfterDestructionDuringACancel) {
    for (int round = 0; round < 100; ++round) {
        timers_ = std::make_unique<Timers>();
        std::vector<Timer> many;
        for (int i = 0; i < 1000; ++i) many.push_back(timers_->after(1h, *dispatcher_, [] {}));
        const Timer due = timers_->after(0ms, *dispatcher_, [&] { ++calls_; });
        waitUntilQueued();
        std::atomic<int> cancelled{0};
        std::thread other([&] {
            for (Timer& each : many) {
                each.cancel();
                ++cancelled;
            }
        });
        while (cancelled < 100) std::this_thread::yield();
        timers_.reset();
        dispatcher_.turn();
        other.join();
        ASSERT_EQ(calls_, 0);
        while (dispatcher_->queue()->size() > 0) dispatcher_.turn();
    }
}

}  // namespace
}  // namespace nio
