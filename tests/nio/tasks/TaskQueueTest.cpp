#include <nio/tasks/TaskQueue.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nio/sys/KernelTesting.h"

namespace nio {
namespace {

using testing::ElementsAre;

class TaskQueueTest : public testing::Test {
  protected:
    Task note(int number) {
        return [this, number] { ran_.push_back(number); };
    }
    void run(std::size_t limit = 100) {
        queue_.runBatch(limit, [](PostedTask& task) { task(); });
    }
    bool wakeUpIsSignalled() {
        pollfd entry{wakeUp_->fd(), POLLIN, 0};
        return kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero()).value() == 1;
    }

    std::vector<int> ran_;
    std::shared_ptr<WakeUp> wakeUp_ = std::make_shared<WakeUp>();
    TaskQueue queue_{wakeUp_, 3};
};

TEST_F(TaskQueueTest, RunsTasksInTheOrderTheyWereGiven) {
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue_.push(note(i)));
    EXPECT_EQ(queue_.size(), 3u);
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 2, 3));
    EXPECT_EQ(queue_.size(), 0u);
    EXPECT_FALSE(queue_.hasWork());
}

TEST_F(TaskQueueTest, RefusesWhatIsOverItsLimit) {
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue_.push(note(i)));
    const Result<void> refused = queue_.push(note(4));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(Errc::queueFull));
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 2, 3));
    EXPECT_TRUE(queue_.push(note(5))) << "there is room again";
}

TEST_F(TaskQueueTest, TakesInternalPostsOverItsLimit) {
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue_.push(note(i)));
    EXPECT_TRUE(queue_.push(note(4), TaskQueue::Post::exempt));
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 2, 3, 4));
}

struct Carrier {
    std::unique_ptr<int> cargo;
    void operator()() {}
};

TEST_F(TaskQueueTest, LeavesARefusedTaskUntouched) {
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue_.push(note(i)));
    Carrier carrier{std::make_unique<int>(7)};
    EXPECT_FALSE(queue_.push(std::move(carrier)));
    queue_.close();
    EXPECT_FALSE(queue_.push(std::move(carrier)));
    ASSERT_NE(carrier.cargo, nullptr);
    EXPECT_EQ(*carrier.cargo, 7);
}

TEST_F(TaskQueueTest, MakesATaskOnlyWhenItTakesIt) {
    int made = 0;
    auto make = [&] {
        ++made;
        return note(9);
    };
    EXPECT_TRUE(queue_.push(TaskMadeWhenTaken<decltype(make)&>{make}));
    queue_.close();
    EXPECT_TRUE(queue_.push(TaskMadeWhenTaken<decltype(make)&>{make}).error().is(Errc::stopped));
    EXPECT_EQ(made, 1);
    run();
    EXPECT_THAT(ran_, ElementsAre(9));
}

TEST_F(TaskQueueTest, RunsAtMostTheLimitAndTheRestFirstNextTime) {
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue_.push(note(i)));
    run(2);
    EXPECT_THAT(ran_, ElementsAre(1, 2));
    EXPECT_TRUE(queue_.hasWork());
    EXPECT_FALSE(queue_.prepareToSleep());
    ASSERT_TRUE(queue_.push(note(4)));
    run();
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 2, 3, 4));
}

TEST_F(TaskQueueTest, LeavesWhatIsPushedWhileItRunsToTheNextBatch) {
    ASSERT_TRUE(queue_.push([this] { ASSERT_TRUE(queue_.push(note(2))); }));
    run();
    EXPECT_TRUE(ran_.empty());
    run();
    EXPECT_THAT(ran_, ElementsAre(2));
}

TEST_F(TaskQueueTest, RefusesAfterCloseAndStillRunsWhatItHad) {
    ASSERT_TRUE(queue_.push(note(1)));
    queue_.close();
    EXPECT_TRUE(queue_.push(note(2)).error().is(Errc::stopped));
    EXPECT_TRUE(queue_.push(note(2), TaskQueue::Post::exempt).error().is(Errc::stopped));
    run();
    EXPECT_THAT(ran_, ElementsAre(1));
}

TEST_F(TaskQueueTest, WakesNobodyWhoIsAwake) {
    ASSERT_TRUE(queue_.push(note(1)));
    EXPECT_FALSE(wakeUpIsSignalled());
}

TEST_F(TaskQueueTest, WakesASleeperOnceForABurst) {
    ASSERT_TRUE(queue_.prepareToSleep());
    ASSERT_TRUE(queue_.push(note(1)));
    EXPECT_TRUE(wakeUpIsSignalled());
    wakeUp_->clear();
    ASSERT_TRUE(queue_.push(note(2)));
    EXPECT_FALSE(wakeUpIsSignalled()) << "one wake-up is enough";
}

TEST_F(TaskQueueTest, DoesNotLetASleeperMissWhatCameBefore) {
    ASSERT_TRUE(queue_.push(note(1)));
    EXPECT_FALSE(queue_.prepareToSleep());
}

TEST_F(TaskQueueTest, ANudgeIsWorkUntilTheNextBatchThoughNoTaskWaits) {
    queue_.nudge();
    EXPECT_TRUE(queue_.hasWork());
    EXPECT_FALSE(queue_.prepareToSleep());
    run();
    EXPECT_FALSE(queue_.hasWork());
    EXPECT_EQ(queue_.tasksRun(), 0u);
    EXPECT_FALSE(wakeUpIsSignalled()) << "it was awake";
    ASSERT_TRUE(queue_.prepareToSleep());
    queue_.nudge();
    EXPECT_TRUE(wakeUpIsSignalled());
}

TEST_F(TaskQueueTest, DestroysATaskAsSoonAsItHasRun) {
    auto token = std::make_shared<int>(1);
    ASSERT_TRUE(queue_.push([token] {}));
    EXPECT_EQ(token.use_count(), 2);
    run();
    EXPECT_EQ(token.use_count(), 1);
}

TEST_F(TaskQueueTest, LetsATaskPostManyOthersWithoutMovingItself) {
    TaskQueue queue(wakeUp_, 10'000);
    const std::string text(1000, 'x');
    std::size_t seen = 0;
    struct Poster {
        TaskQueue& queue;
        std::size_t& seen;
        std::string text;
        void operator()() {
            for (int i = 0; i < 5000; ++i) ASSERT_TRUE(queue.push([s = &seen] { ++*s; }));
            seen += text.size();
        }
    };
    ASSERT_TRUE(queue.push(Poster{queue, seen, text}));
    const auto call = [](PostedTask& task) { task(); };
    queue.runBatch(1, call);
    EXPECT_EQ(seen, text.size());
    queue.runBatch(10'000, call);
    EXPECT_EQ(seen, text.size() + 5000);
}

TEST_F(TaskQueueTest, LetsWhatATaskOwnedPostFromItsDestructor) {
    const auto post = [this](int*) { EXPECT_TRUE(queue_.push(note(2))); };
    int owned = 0;
    std::unique_ptr<int, decltype(post)> posts(&owned, post);
    ASSERT_TRUE(queue_.push([this, posts = std::move(posts)] { ran_.push_back(1); }));
    run();
    EXPECT_THAT(ran_, ElementsAre(1));
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 2));
}

TEST_F(TaskQueueTest, IsAwakeAgainBeforeAnybodyHasWokenIt) {
    ASSERT_TRUE(queue_.prepareToSleep());
    queue_.awake();
    ASSERT_TRUE(queue_.push(note(1)));
    EXPECT_FALSE(wakeUpIsSignalled());
}

// --- prepared tasks -------------------------------------------------------------------------

struct Prepared final : PreparedTask {
    explicit Prepared(Task call) : call(std::move(call)) {}
    void perform() override { call(); }
    Task call;
};

TEST_F(TaskQueueTest, APreparedTaskHasItsPlaceInTheOrder) {
    ASSERT_TRUE(queue_.push(note(1)));
    ASSERT_TRUE(queue_.pushPrepared(std::make_shared<Prepared>(note(2))));
    ASSERT_TRUE(queue_.pushPrepared(std::make_shared<Prepared>(note(3))));
    ASSERT_TRUE(queue_.push(note(4), TaskQueue::Post::exempt));
    ASSERT_TRUE(queue_.pushPrepared(std::make_shared<Prepared>(note(5))));
    EXPECT_EQ(queue_.size(), 5u);
    run(2);
    ASSERT_TRUE(queue_.push(note(6)));
    run();
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(queue_.tasksRun(), 6u);
}

TEST_F(TaskQueueTest, APreparedTaskThatIsQueuedRunsOnce) {
    const auto task = std::make_shared<Prepared>(note(1));
    ASSERT_TRUE(queue_.pushPrepared(task));
    ASSERT_TRUE(queue_.pushPrepared(task));
    EXPECT_EQ(queue_.size(), 1u);
    run();
    EXPECT_THAT(ran_, ElementsAre(1));
    EXPECT_EQ(task.use_count(), 1);
    ASSERT_TRUE(queue_.pushPrepared(task));
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 1));
}

TEST_F(TaskQueueTest, APreparedTaskMayPostItselfAgain) {
    std::shared_ptr<Prepared> task;
    task = std::make_shared<Prepared>([&] {
        ran_.push_back(1);
        EXPECT_TRUE(queue_.pushPrepared(task));
    });
    ASSERT_TRUE(queue_.pushPrepared(task));
    run();
    run();
    EXPECT_THAT(ran_, ElementsAre(1, 1));
    EXPECT_TRUE(queue_.hasWork());
}

TEST_F(TaskQueueTest, APreparedTaskWakesASleeper) {
    ASSERT_TRUE(queue_.prepareToSleep());
    ASSERT_TRUE(queue_.pushPrepared(std::make_shared<Prepared>(note(1))));
    EXPECT_TRUE(wakeUpIsSignalled());
}

TEST_F(TaskQueueTest, APreparedTaskIsRefusedAfterClose) {
    const auto task = std::make_shared<Prepared>(note(1));
    queue_.close();
    EXPECT_TRUE(queue_.pushPrepared(task).error().is(Errc::stopped));
    EXPECT_FALSE(queue_.hasWork());
}

// --- stress ---------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NIO_TESTS_RUN_SLOWLY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NIO_TESTS_RUN_SLOWLY 1
#endif
#endif

#ifdef NIO_TESTS_RUN_SLOWLY
constexpr std::uint32_t tasksEach = 50'000;
#else
constexpr std::uint32_t tasksEach = 1'000'000;
#endif
constexpr std::uint32_t producers = 4;

// Sleeps as a dispatcher does, so that a lost wake-up would hang it.
void runUntil(TaskQueue& queue, WakeUp& wakeUp, const std::uint64_t& ran, std::uint64_t expected) {
    while (ran < expected) {
        queue.runBatch(4096, [](PostedTask& task) { task(); });
        if (!queue.prepareToSleep()) continue;
        if (ran < expected) {
            ASSERT_TRUE(kerneltest::waitFor(wakeUp.fd(), POLLIN)) << ran;
            wakeUp.clear();
        }
        queue.awake();
    }
}

// As one with a busy edge does: it is never asleep.
void spinUntil(TaskQueue& queue, const std::uint64_t& ran, std::uint64_t expected) {
    while (ran < expected) {
        queue.runBatch(4096, [](PostedTask& task) { task(); });
        if (!queue.hasWork()) std::this_thread::yield();
    }
}

class TaskQueueStress : public testing::Test {
  protected:
    void startProducers() {
        for (std::uint32_t producer = 0; producer < producers; ++producer) {
            threads_.emplace_back([this, producer] { produce(producer); });
        }
    }
    void produce(std::uint32_t producer) {
        for (std::uint32_t number = 0; number < tasksEach;) {
            const auto task = [this, producer, number] {
                if (next_[producer] != number) ++outOfOrder_;
                next_[producer] = number + 1;
                ++ran_;
            };
            queue_.push(task) ? void(++number) : std::this_thread::yield();
        }
    }
    void expectEachExactlyOnce() {
        for (std::thread& thread : threads_) thread.join();
        EXPECT_EQ(outOfOrder_, 0u);
        EXPECT_EQ(ran_, expected);
        EXPECT_THAT(next_, testing::Each(tasksEach));
        EXPECT_FALSE(queue_.hasWork());
        EXPECT_EQ(queue_.size(), 0u);
    }

    static constexpr std::uint64_t expected = std::uint64_t{producers} * tasksEach;
    std::shared_ptr<WakeUp> wakeUp_ = std::make_shared<WakeUp>();
    TaskQueue queue_{wakeUp_, 100'000};
    std::vector<std::uint32_t> next_ = std::vector<std::uint32_t>(producers, 0);
    std::uint64_t ran_ = 0;
    std::uint64_t outOfOrder_ = 0;
    std::vector<std::thread> threads_;
};

TEST_F(TaskQueueStress, RunsTasksOfFourProducersOnceAndInOrder) {
    startProducers();
    runUntil(queue_, *wakeUp_, ran_, expected);
    expectEachExactlyOnce();
}

TEST_F(TaskQueueStress, SignalsNobodyWhoNeverSleeps) {
    startProducers();
    spinUntil(queue_, ran_, expected);
    expectEachExactlyOnce();
    pollfd entry{wakeUp_->fd(), POLLIN, 0};
    EXPECT_EQ(kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero()).value(), 0u);
}

}  // namespace
}  // namespace nio
