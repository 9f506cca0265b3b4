#include "bench/models/ActorThreadPool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using models::ActorThreadPool;
using models::WorkerPool;
using ActorRef = std::shared_ptr<ActorThreadPool::Actor>;

ActorRef newActor() {
    return std::make_shared<ActorThreadPool::Actor>();
}

TEST(WorkerPool, RunsEachTaskExactlyOnce) {
    constexpr std::size_t tasks = 1000;
    std::array<std::atomic<int>, tasks> runs{};
    std::latch done(tasks);
    WorkerPool pool(4);
    for (std::atomic<int>& count : runs) {
        pool.submit([&] {
            ++count;
            done.count_down();
        });
    }
    done.wait();
    pool.stop();
    for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
}

TEST(WorkerPool, RunsAsManyTasksAtOnceAsItHasWorkers) {
    constexpr std::size_t workers = 3;
    std::latch together(workers);  // each waits for the others
    WorkerPool pool(workers);
    std::latch done(workers);
    for (std::size_t i = 0; i < workers; ++i) {
        pool.submit([&] {
            together.arrive_and_wait();
            done.count_down();
        });
    }
    done.wait();
}

TEST(WorkerPool, StopFinishesRunningTasksAndBeginsNoMore) {
    std::latch begun(1);
    std::latch mayEnd(1);
    bool finished = false;
    bool begunLate = false;
    WorkerPool pool(1);
    pool.submit([&] {
        begun.count_down();
        mayEnd.wait();
        finished = true;
    });
    begun.wait();
    std::thread stopper([&] { pool.stop(); });
    mayEnd.count_down();
    stopper.join();
    EXPECT_TRUE(finished);
    pool.submit([&] { begunLate = true; });
    pool.stop();
    EXPECT_FALSE(begunLate);
}

TEST(ActorThreadPool, RunsTheTasksOfAnActorInTheOrderTheyWereGiven) {
    constexpr int actors = 8;
    constexpr int tasks = 500;
    std::array<std::vector<int>, actors> ran;  // unguarded: an actor's tasks never overlap
    std::latch done(actors * tasks);
    ActorThreadPool pool(4);
    std::vector<ActorRef> all;
    for (int i = 0; i < actors; ++i) all.push_back(newActor());
    for (int number = 0; number < tasks; ++number) {
        for (int i = 0; i < actors; ++i) {
            pool.submit(all[static_cast<std::size_t>(i)], [&, i, number] {
                ran[static_cast<std::size_t>(i)].push_back(number);
                done.count_down();
            });
        }
    }
    done.wait();
    pool.stop();
    std::vector<int> inOrder(tasks);
    for (int number = 0; number < tasks; ++number)
        inOrder[static_cast<std::size_t>(number)] = number;
    for (const std::vector<int>& one : ran) EXPECT_EQ(one, inOrder);
}

TEST(ActorThreadPool, RunsDifferentActorsAtTheSameTime) {
    std::latch together(2);  // each waits for the other
    std::latch done(2);
    ActorThreadPool pool(2);
    for (int i = 0; i < 2; ++i) {
        pool.submit(newActor(), [&] {
            together.arrive_and_wait();
            done.count_down();
        });
    }
    done.wait();
}

TEST(ActorThreadPool, DoesNotLetAnActorWithManyTasksKeepTheOthersWaiting) {
    std::mutex mutex;
    std::vector<char> order;
    std::latch mayBegin(1);
    std::latch done(4);
    const auto note = [&](char who) {
        return [&, who] {
            const std::lock_guard lock(mutex);
            order.push_back(who);
            done.count_down();
        };
    };
    ActorThreadPool pool(1);
    const ActorRef busy = newActor();
    pool.submit(newActor(), [&] { mayBegin.wait(); });
    for (int i = 0; i < 3; ++i) pool.submit(busy, note('b'));
    pool.submit(newActor(), note('o'));
    mayBegin.count_down();
    done.wait();
    EXPECT_EQ(order, (std::vector<char>{'b', 'o', 'b', 'b'}));
}

TEST(ActorThreadPool, TakesTasksFromItsOwnTasks) {
    std::latch done(2);
    ActorThreadPool pool(1);
    const ActorRef actor = newActor();
    pool.submit(actor, [&, actor] {
        pool.submit(actor, [&] { done.count_down(); });
        done.count_down();
    });
    done.wait();
}

TEST(ActorThreadPool, AnActorLivesAsLongAsItHasTasks) {
    std::latch mayBegin(1);
    std::latch done(2);
    ActorThreadPool pool(2);
    ActorRef actor = newActor();
    const std::weak_ptr<ActorThreadPool::Actor> seen = actor;
    pool.submit(actor, [&] {
        mayBegin.wait();
        done.count_down();
    });
    pool.submit(actor, [&] { done.count_down(); });
    actor.reset();
    EXPECT_FALSE(seen.expired());
    mayBegin.count_down();
    done.wait();
    pool.stop();
    EXPECT_TRUE(seen.expired());
}

}  // namespace
