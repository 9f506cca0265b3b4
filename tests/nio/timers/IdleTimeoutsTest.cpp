#include <nio/timers/IdleTimeouts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <nio/loop/SelectorHandlers.h>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;

// Told when idle; closes then.
class Sleeper final : public ReadWriteSelectorHandler {
  public:
    Sleeper(SocketChannel channel, int& told) : channel_(std::move(channel)), told_(told) {}
    SelectableChannel& channel() override { return channel_; }
    void handleRead() override {}
    void handleWrite() override {}
    void handleIdle() override {
        ++told_;
        toldAt = Clock::now();
        if (onIdle) onIdle();
    }

    IdleHook hook{*this};
    TimePoint toldAt{};
    std::function<void()> onIdle;

  private:
    SocketChannel channel_;
    int& told_;
};

class IdleListTest : public testing::Test {
  protected:
    Sleeper& add(std::chrono::milliseconds timeout) {
        links_.push_back(support::makeLink());
        Sleeper& sleeper = dispatcher_.add(
            std::make_unique<Sleeper>(std::move(links_.back().channel), told_), Interest::none);
        dispatcher_.inTurn([&] { dispatcher_->idleTimeouts().watch(sleeper.hook, timeout); });
        return sleeper;
    }
    void holdUpFor(Clock::duration time) {
        const TimePoint end = Clock::now() + time;
        while (Clock::now() < end) {
        }
    }

    int told_ = 0;
    std::vector<support::Link> links_;
    support::TestDispatcher dispatcher_;
};

TEST_F(IdleListTest, TellsAHandlerThatWasIdleForTheTimeAndNotBefore) {
    for (const std::chrono::milliseconds timeout : {16ms, 31ms, 47ms, 100ms}) {
        const TimePoint start = Clock::now();
        Sleeper& sleeper = add(timeout);
        const int before = told_;
        ASSERT_TRUE(dispatcher_.turnUntil([&] { return told_ > before; }));
        EXPECT_GE(sleeper.toldAt - start, timeout);
    }
}

TEST_F(IdleListTest, AHookThatOutlivesItsDispatcherIsLetGo) {
    Sleeper owner(support::makeLink().channel, told_);
    {
        support::TestDispatcher other;
        other.inTurn([&] { other->idleTimeouts().watch(owner.hook, 1h); });
    }
    owner.hook.touch();
    owner.hook.unlink();
    EXPECT_EQ(told_, 0);
}

TEST_F(IdleListTest, ToResumeWhatWasNeverSuspendedBeginsAnew) {
    Sleeper& sleeper = add(1h);
    const TimePoint start = Clock::now();
    dispatcher_.inTurn([&] { dispatcher_->idleTimeouts().resume(sleeper.hook, 10ms); });
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return told_ == 1; }));
    EXPECT_GE(sleeper.toldAt - start, 10ms);
}

TEST_F(IdleListTest, TellsItOnce) {
    add(16ms);
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return told_ == 1; }));
    const TimePoint end = Clock::now() + 50ms;
    while (Clock::now() < end) dispatcher_->turn(10ms);
    EXPECT_EQ(told_, 1);
}

TEST_F(IdleListTest, DoesNotTellAHandlerThatIsActive) {
    Sleeper& active = add(32ms);
    Sleeper& silent = add(32ms);
    silent.onIdle = [&] { EXPECT_EQ(active.toldAt, TimePoint{}); };
    active.onIdle = [&] { EXPECT_NE(silent.toldAt, TimePoint{}); };
    ASSERT_TRUE(dispatcher_.turnUntil([&] {
        dispatcher_.inTurn([&] { active.hook.touch(); });
        return silent.toldAt != TimePoint{};
    }));
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return active.toldAt != TimePoint{}; }));
}

TEST_F(IdleListTest, ForgetsAHandlerThatIsTakenOutOrDestroyed) {
    Sleeper& unlinked = add(16ms);
    Sleeper& destroyed = add(16ms);
    dispatcher_.inTurn([&] {
        unlinked.hook.unlink();
        destroyed.channel().close();
    });
    EXPECT_FALSE(unlinked.hook.isLinked());
    add(16ms);
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return told_ > 0; }));
    EXPECT_EQ(told_, 1) << "only the third";
}

TEST_F(IdleListTest, TakesATimeOfZeroAsNone) {
    Sleeper& sleeper = add(0ms);
    EXPECT_FALSE(sleeper.hook.isLinked());
    EXPECT_EQ(dispatcher_->deadlines().size(), 0u);
}

TEST_F(IdleListTest, CostsOneDeadlineForAllConnections) {
    for (int i = 0; i < 20; ++i) add(10s);
    EXPECT_EQ(dispatcher_->deadlines().size(), 1u);
    for (int i = 0; i < 20; ++i) add(20s);
    EXPECT_EQ(dispatcher_->deadlines().size(), 2u);
}

TEST_F(IdleListTest, WakesNobodyWhenItIsEmpty) {
    Sleeper& sleeper = add(16ms);
    dispatcher_.inTurn([&] { sleeper.hook.unlink(); });
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return dispatcher_->deadlines().size() == 0; }));
}

TEST_F(IdleListTest, DoesNotTakeItsOwnDelayForSilence) {
    Sleeper& sleeper = add(20ms);
    dispatcher_.inTurn([&] {
        holdUpFor(80ms);
        sleeper.hook.touch();
    });
    dispatcher_.turns(2);
    EXPECT_EQ(told_, 0) << "it was active a moment ago";
}

TEST_F(IdleListTest, IsTouchedInTurnsOfItsDispatcherOnly) {
    Sleeper& sleeper = add(1h);
    EXPECT_THROW(sleeper.hook.suspend(), WrongThreadError);
    EXPECT_TRUE(sleeper.hook.isLinked());
}

TEST_F(IdleListTest, MayBeLinkedAgainFromItsCallback) {
    Sleeper& sleeper = add(16ms);
    sleeper.onIdle = [&] { dispatcher_->idleTimeouts().watch(sleeper.hook, 16ms); };
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return told_ == 3; }));
}

TEST_F(IdleListTest, ReportsACallbackThatThrowsAndTellsTheOthers) {
    add(16ms).onIdle = [] { throw std::runtime_error("oh"); };
    add(16ms);
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return told_ == 2; }));
    ASSERT_EQ(dispatcher_.failures.size(), 1u);
    EXPECT_THAT(dispatcher_.failures[0], testing::HasSubstr("Sleeper::handleIdle: oh"));
    EXPECT_EQ(dispatcher_->connectionCount(), 1u) << "only the one that threw is closed";
}

// That moves, with the time that it was idle.
class MovingSleeper final : public MovableHandler {
  public:
    MovingSleeper(SocketChannel channel, std::vector<const char*>& told)
        : channel_(std::move(channel)), told_(told) {}
    SelectableChannel& channel() override { return channel_; }
    void handleRead() override {}
    void handleWrite() override {}
    void handleRegistered() override { dispatcher().idleTimeouts().watch(hook_, 160ms); }
    void handleIdle() override { told_.push_back("moved"); }
    void leaving() override {
        hook_.suspend();
        EXPECT_FALSE(hook_.isLinked());
    }
    void arrived() override {
        dispatcher().idleTimeouts().resume(hook_, 160ms);
        if (onArrived) onArrived();
    }
    void touch() { hook_.touch(); }

    std::function<void()> onArrived;

  private:
    IdleHook hook_{*this};
    SocketChannel channel_;
    std::vector<const char*>& told_;
};

// Counts the ticks with a deadline of the same length, so that nothing depends on the machine.
TEST_F(IdleListTest, TheTimeIdleOnOneDispatcherCountsOnTheNext) {
    const TimePoint start = Clock::now();
    std::vector<const char*> order;
    support::Link link = support::makeLink();
    support::TestDispatcher first("first");
    MovingSleeper& moved =
        first.add(std::make_unique<MovingSleeper>(std::move(link.channel), order), Interest::none);
    int ticks = 0;
    Deadline ticker(first->deadlines(), [&] {
        ++ticks;
        ticker.wakeAfter(10ms);
    });
    first.inTurn([&] { ticker.wakeAfter(10ms); });
    ASSERT_TRUE(first.turnUntil([&] { return ticks >= 8; }));
    Sleeper& fresh = add(160ms);
    fresh.onIdle = [&] { order.push_back("fresh"); };
    first.inTurn([&] { ASSERT_TRUE(first->moves().moveNow(moved.channel(), *dispatcher_).ok()); });
    first.turns(2);
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return order.size() == 2; }));
    EXPECT_THAT(order, testing::ElementsAre("moved", "fresh"))
        << "though it came to this list last";
    EXPECT_GE(Clock::now() - start, 160ms);
}

class MovesOfTheIdle : public IdleListTest {
  protected:
    MovesOfTheIdle()
        : moved_(first_.add(std::make_unique<MovingSleeper>(std::move(link_.channel), told_),
                            Interest::none)) {}
    // To and fro, much more often than a tick.
    void moveUntil(const std::function<bool()>& done) {
        const TimePoint end = Clock::now() + kerneltest::patience;
        while (!done() && Clock::now() < end) {
            for (auto [from, to] :
                 {std::pair(&first_, &dispatcher_), std::pair(&dispatcher_, &first_)}) {
                from->inTurn([&, here = &**from, there = &**to] {
                    if (told_.empty()) (void)here->moves().moveNow(moved_.channel(), *there).ok();
                });
                for (int i = 0; i < 3; ++i) first_.turn(), dispatcher_.turn();
            }
        }
    }

    const TimePoint start_ = Clock::now();
    std::vector<const char*> told_;
    support::Link link_ = support::makeLink();
    support::TestDispatcher first_{"first"};
    MovingSleeper& moved_;
};

TEST_F(MovesOfTheIdle, HoweverManyDoNotPutTheTimeOutOff) {
    moveUntil([&] { return !told_.empty(); });
    EXPECT_EQ(told_.size(), 1u);
    EXPECT_GE(Clock::now() - start_, 160ms);
}

TEST_F(MovesOfTheIdle, ActivityRightAfterAMoveCounts) {
    TimePoint touched{};
    moveUntil([&] { return Clock::now() - start_ > 100ms; });
    moved_.onArrived = [&] {
        moved_.touch();
        touched = Clock::now();
        moved_.onArrived = nullptr;
    };
    moveUntil([&] { return !told_.empty(); });
    EXPECT_EQ(told_.size(), 1u);
    EXPECT_GE(Clock::now() - touched, 160ms);
}

}  // namespace
}  // namespace nio
