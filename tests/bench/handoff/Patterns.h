// The patterns in which tasks are handed over, and what each task costs in CPU time.
#pragma once

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "bench/handoff/LoopThread.h"

namespace handoff {

struct Cost {
    double producerNs = 0;  // CPU of all producers, per task
    double loopNs = 0;      // CPU of the loop's thread, per task
    double sleeps = 0;      // of the loop, per 1,000 tasks
    double wallNs = 0;      // per task
};

struct Plan {
    int producers = 1;
    int bursts = 1;  // each producer waits after a burst until all of it has run
    int tasksPerBurst = 1;
    int tasks() const { return producers * bursts * tasksPerBurst; }
};

// A task counts itself; its producer looks at the count. One cache line per producer.
struct alignas(64) Counter {
    std::atomic<int> ran{0};
};

template <class Loop>
double produce(Loop& loop, const Plan& plan, Counter& counter) {
    const Used before = Used::now();
    double waited = 0;
    for (int burst = 1; burst <= plan.bursts; ++burst) {
        for (int i = 0; i < plan.tasksPerBurst; ++i) {
            loop.post([&counter] {
                counter.ran.store(counter.ran.load(std::memory_order_relaxed) + 1,
                                  std::memory_order_release);
            });
        }
        // Waiting is not handing over.
        const Used posted = Used::now();
        while (counter.ran.load(std::memory_order_acquire) < burst * plan.tasksPerBurst) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        waited += (Used::now() - posted).nanoseconds;
    }
    return (Used::now() - before).nanoseconds - waited;
}

template <class Loop>
Cost costOf(LoopThread<Loop>& thread, const Plan& plan, int producersCpu) {
    std::vector<Counter> counters(static_cast<std::size_t>(plan.producers));
    std::atomic<double> producerNs{0};
    std::latch ready(plan.producers + 1);
    const Used before = thread.used();
    std::vector<std::thread> producers;
    for (Counter& counter : counters) {
        producers.emplace_back([&] {
            stayOn(producersCpu);
            ready.arrive_and_wait();
            producerNs.fetch_add(produce(thread.loop(), plan, counter));
        });
    }
    ready.arrive_and_wait();
    const nio::TimePoint began = nio::Clock::now();
    for (std::thread& producer : producers) producer.join();
    const std::chrono::nanoseconds wall = nio::Clock::now() - began;
    const Used used = thread.used() - before;
    const double tasks = plan.tasks();
    return {producerNs / tasks, used.nanoseconds / tasks, used.sleeps / tasks * 1000,
            static_cast<double>(wall.count()) / tasks};
}

// One caller that waits for each task's end.
template <class Loop>
Cost costOfCalls(LoopThread<Loop>& thread, int calls, int callersCpu) {
    Cost cost;
    const Used before = thread.used();
    std::thread([&] {
        stayOn(callersCpu);
        const Used mine = Used::now();
        const nio::TimePoint began = nio::Clock::now();
        for (int i = 0; i < calls; ++i) thread.loop().call([] {});
        const std::chrono::nanoseconds wall = nio::Clock::now() - began;
        cost.wallNs = static_cast<double>(wall.count()) / calls;
        cost.producerNs = (Used::now() - mine).nanoseconds / calls;
    }).join();
    const Used used = thread.used() - before;
    cost.loopNs = used.nanoseconds / calls;
    cost.sleeps = used.sleeps / calls * 1000;
    return cost;
}

}  // namespace handoff
