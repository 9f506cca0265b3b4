#include <nio/timers/Deadline.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "support/FailingMemory.h"
#include "support/TestDispatcher.h"

#include <nio/timers/ReservedDeadline.h>

namespace nio {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const TimePoint zero = TimePoint(1h);

class DeadlineQueueTest : public testing::Test {
  protected:
    std::unique_ptr<Deadline> make(int number) {
        return std::make_unique<Deadline>(queue_, [this, number] { expired_.push_back(number); });
    }
    void expireAt(TimePoint now) {
        while (Deadline* due = queue_.takeDue(now)) due->expire();
    }

    DispatcherIdentity owner_{"owner"};
    DispatcherIdentity::Turn turn_{owner_};
    std::vector<int> expired_;
    DeadlineQueue queue_{owner_};
};

TEST_F(DeadlineQueueTest, GivesTheEarliestFirst) {
    const auto three = make(3), one = make(1), two = make(2);
    three->wakeAt(zero + 3s);
    one->wakeAt(zero + 1s);
    two->wakeAt(zero + 2s);
    EXPECT_EQ(queue_.earliest(), zero + 1s);
    expireAt(zero + 10s);
    EXPECT_THAT(expired_, ElementsAre(1, 2, 3));
    EXPECT_EQ(queue_.earliest(), std::nullopt);
}

TEST_F(DeadlineQueueTest, KeepsWhatIsNotDue) {
    const auto one = make(1), two = make(2);
    one->wakeAt(zero + 1s);
    two->wakeAt(zero + 2s);
    expireAt(zero + 1s);
    EXPECT_THAT(expired_, ElementsAre(1));
    EXPECT_FALSE(one->isSet());
    EXPECT_TRUE(two->isSet());
}

TEST_F(DeadlineQueueTest, MovesADeadlineThatIsSetAgain) {
    const auto one = make(1), two = make(2);
    one->wakeAt(zero + 1s);
    two->wakeAt(zero + 2s);
    one->wakeAt(zero + 3s);
    EXPECT_EQ(queue_.size(), 2u);
    expireAt(zero + 2s);
    expireAt(zero + 3s);
    EXPECT_THAT(expired_, ElementsAre(2, 1));
}

TEST_F(DeadlineQueueTest, AReservedOneIsSetWithoutMemoryHoweverManyOthersAre) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    ReservedDeadline one(queue_, [] {}), two(queue_, [] {});
    std::vector<std::unique_ptr<Deadline>> others;
    for (int i = 0; i < 40; ++i) others.push_back(make(i));
    std::size_t refused = 0;
    for (const auto& other : others) {
        const auto noMemory = support::FailingMemory::from(0);
        try {
            other->wakeAt(zero);
        } catch (const std::bad_alloc&) {
            ++refused;
        }
        one.wakeAfter(1h);
        two.wakeAfter(1h);
        EXPECT_TRUE(one.isSet() && two.isSet());
        one.cancel();
    }
    EXPECT_EQ(queue_.size(), others.size() - refused + 1);
}

TEST_F(DeadlineQueueTest, AReservedDeadlineTakesNoPlaceFromOthers) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    for (int count = 1; count < 20; ++count) {
        DeadlineQueue queue{owner_};
        ReservedDeadline reserved(queue, [] {});
        std::vector<std::unique_ptr<Deadline>> others;
        for (int i = 0; i < count; ++i) {
            others.push_back(std::make_unique<Deadline>(queue, [] {}));
            others.back()->wakeAt(zero);
        }
        reserved.wakeAfter(1h);
        const auto noMemory = support::FailingMemory::from(0);
        ASSERT_NE(queue.takeDue(zero), nullptr);
        for (const auto& other : others) {
            if (other->isSet()) continue;
            EXPECT_NO_THROW(other->wakeAt(zero)) << count;
        }
    }
}

TEST_F(DeadlineQueueTest, WhatCannotBeSetIsAsItWas) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    const auto one = make(1), two = make(2);
    one->wakeAt(zero + 1s);
    {
        const auto noMemory = support::FailingMemory::from(0);
        EXPECT_THROW(two->wakeAt(zero), std::bad_alloc);
        one->wakeAt(zero + 2s);
    }
    EXPECT_FALSE(two->isSet());
    expireAt(zero + 2s);
    EXPECT_THAT(expired_, ElementsAre(1));
}

TEST_F(DeadlineQueueTest, ForgetsWhatIsCancelledOrDestroyed) {
    const auto one = make(1);
    auto two = make(2);
    one->wakeAt(zero + 1s);
    two->wakeAt(zero + 2s);
    one->cancel();
    one->cancel();
    two.reset();
    EXPECT_EQ(queue_.size(), 0u);
    expireAt(zero + 10s);
    EXPECT_THAT(expired_, ElementsAre());
}

TEST_F(DeadlineQueueTest, KeepsOrderThroughManySettingsMovesAndCancels) {
    std::mt19937 random(20);
    std::vector<std::unique_ptr<Deadline>> all;
    std::vector<std::optional<TimePoint>> model(200);
    for (int i = 0; i < 200; ++i) all.push_back(make(i));
    for (int step = 0; step < 5000; ++step) {
        const std::size_t i = random() % all.size();
        if (random() % 4 == 0) {
            all[i]->cancel();
            model[i].reset();
        } else {
            model[i] = zero + std::chrono::milliseconds(random() % 1000);
            all[i]->wakeAt(*model[i]);
        }
    }
    expireAt(zero + 1h);
    std::vector<TimePoint> times;
    for (int i : expired_) times.push_back(*model[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    const auto set = [](const auto& when) { return when.has_value(); };
    EXPECT_EQ(static_cast<std::ptrdiff_t>(times.size()),
              std::count_if(model.begin(), model.end(), set));
}

TEST_F(DeadlineQueueTest, MayGoBeforeItsDeadlines) {
    auto queue = std::make_unique<DeadlineQueue>(owner_);
    Deadline deadline(*queue, [] {});
    deadline.wakeAt(zero);
    queue.reset();
    EXPECT_FALSE(deadline.isSet());
}

TEST_F(DeadlineQueueTest, OwnsNothingOfADeadlineDestroyedInsideItsCallback) {
    std::unique_ptr<Deadline> self;
    auto token = std::make_shared<int>(0);
    self = std::make_unique<Deadline>(queue_, [&, token] {
        self.reset();
        ++*token;  // what the callback has captured lives until it returns
    });
    self->wakeAt(zero);
    expireAt(zero);
    EXPECT_EQ(self, nullptr);
    EXPECT_EQ(*token, 1);
    EXPECT_EQ(token.use_count(), 1);
}

TEST_F(DeadlineQueueTest, CanExpireAgainAfterItsCallbackThrew) {
    int calls = 0;
    Deadline deadline(queue_, [&] {
        if (++calls == 1) throw std::runtime_error("once");
    });
    deadline.wakeAt(zero);
    EXPECT_THROW(queue_.takeDue(zero)->expire(), std::runtime_error);
    deadline.wakeAt(zero + 1s);
    queue_.takeDue(zero + 1s)->expire();
    EXPECT_EQ(calls, 2);
}

TEST_F(DeadlineQueueTest, SetsNothingBackBeforeTheTimeAtWhichItWasLookedAt) {
    const auto one = make(1);
    expireAt(zero);
    one->wakeAt(zero - 1h);
    expireAt(zero);
    EXPECT_THAT(expired_, ElementsAre());
    expireAt(zero + 1ns);
    EXPECT_THAT(expired_, ElementsAre(1));
}

// --- on a dispatcher ------------------------------------------------------------------------

class DeadlineTest : public testing::Test {
  protected:
    std::unique_ptr<Deadline> make(UniqueFunction<void()> expired) {
        return std::make_unique<Deadline>(dispatcher_->deadlines(), std::move(expired));
    }
    support::TestDispatcher dispatcher_;
};

TEST_F(DeadlineTest, ExpiresInATurnOfItsDispatcher) {
    bool current = false;
    auto deadline = make([&] { current = dispatcher_->isCurrent(); });
    dispatcher_.inTurn([&] { deadline->wakeAt(Clock::now() - 1s); });
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return current; }));
}

TEST_F(DeadlineTest, EndsTheWaitOfItsDispatcherAndNeverComesEarly) {
    TimePoint expired{};
    auto deadline = make([&] { expired = Clock::now(); });
    TimePoint when{};
    dispatcher_.inTurn([&] { deadline->wakeAt(when = Clock::now() + 5ms); });
    dispatcher_->turn(std::nullopt);  // would never end otherwise
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return expired != TimePoint{}; }));
    EXPECT_GE(expired, when);
}

TEST_F(DeadlineTest, ThatSetsItselfToThePastKeepsNobodyWaiting) {
    int greedyCalls = 0, modestCalls = 0;
    std::unique_ptr<Deadline> greedy = make([&] {
        ++greedyCalls;
        greedy->wakeAt(Clock::now() - 1h);
    });
    std::unique_ptr<Deadline> modest = make([&] { ++modestCalls; });
    dispatcher_.inTurn([&] {
        modest->wakeAt(Clock::now());
        greedy->wakeAt(Clock::now() - 1h);
    });
    const int before = greedyCalls;
    dispatcher_.turn();
    EXPECT_EQ(modestCalls, 1);
    EXPECT_LE(greedyCalls - before, 1) << "at most once per turn";
    bool taskRan = false;
    dispatcher_.inTurn([&] { taskRan = true; });
    EXPECT_TRUE(taskRan);
}

TEST_F(DeadlineTest, MayCancelAnotherThatIsDueAtTheSameTime) {
    int calls = 0;
    std::unique_ptr<Deadline> one, two;
    one = make([&] { ++calls, two->cancel(); });
    two = make([&] { ++calls, one->cancel(); });
    dispatcher_.inTurn([&] {
        one->wakeAt(Clock::now() - 1s);
        two->wakeAt(Clock::now() - 1s);
    });
    dispatcher_.turns(3);
    EXPECT_EQ(calls, 1);
}

TEST_F(DeadlineTest, WhoseCallbackThrowsIsReportedAndHarmsNoOther) {
    int calls = 0;
    auto bad = make([] { throw std::runtime_error("oh"); });
    auto good = make([&] { ++calls; });
    dispatcher_.inTurn([&] {
        bad->wakeAt(Clock::now() - 2s);
        good->wakeAt(Clock::now() - 1s);
    });
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return calls == 1; }));
    EXPECT_THAT(dispatcher_.failures, ElementsAre("deadline::expire: oh"));
}

TEST_F(DeadlineTest, IsCancelledWhenItsDispatcherStops) {
    int calls = 0;
    auto deadline = make([&] { ++calls; });
    dispatcher_.inTurn([&] { deadline->wakeAt(Clock::now() + 1h); });
    dispatcher_->requestClose();
    EXPECT_FALSE(dispatcher_.turn());
    EXPECT_FALSE(deadline->isSet());
    EXPECT_EQ(calls, 0);
}

TEST_F(DeadlineTest, IsTouchedInTurnsOfItsDispatcherOnly) {
    auto deadline = make([] {});
    const TimePoint when = Clock::now() + 1h;
    EXPECT_THROW(deadline->wakeAt(when), WrongThreadError);
    EXPECT_THROW(deadline->arrive(dispatcher_->deadlines(), when), WrongThreadError);
    EXPECT_FALSE(deadline->isSet());
    dispatcher_.inTurn([&] { deadline->wakeAt(when); });
    EXPECT_THROW(deadline->cancel(), WrongThreadError);
    EXPECT_THROW(deadline->leave(), WrongThreadError);
    EXPECT_TRUE(deadline->isSet());
    EXPECT_EQ(dispatcher_->deadlines().earliest(), when);
}

TEST_F(DeadlineQueueTest, GoesFromOneQueueToAnotherWithItsTime) {
    DeadlineQueue other(owner_);
    const auto one = make(1), two = make(2), three = make(3);
    one->wakeAt(zero + 1s);
    two->wakeAt(zero + 2s);
    for (Deadline* each : {one.get(), three.get()}) {
        const std::optional<TimePoint> when = each->leave();
        EXPECT_FALSE(each->isSet());
        each->arrive(other, when);
    }
    EXPECT_TRUE(one->isSet());
    EXPECT_FALSE(three->isSet()) << "it was not before";
    EXPECT_EQ(queue_.earliest(), zero + 2s);
    EXPECT_EQ(other.earliest(), zero + 1s);
    EXPECT_EQ(other.takeDue(zero + 1s), one.get());
}

}  // namespace
}  // namespace nio
