#include <nio/sys/SpinLock.h>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include <nio/sys/Backoff.h>

namespace nio {
namespace {

TEST(SpinLock, LetsOneInAtATime) {
    constexpr int threads = 4;
    constexpr int rounds = 20'000;
    SpinLock lock;
    int count = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                const std::lock_guard guard(lock);
                ++count;
            }
        });
    }
    for (std::thread& thread : all) thread.join();
    EXPECT_EQ(count, threads * rounds);
}

TEST(SpinLock, WaitsForAnOwnerThatTakesLong) {
    SpinLock lock;
    int value = 0;
    lock.lock();
    std::thread waiter([&] {
        const std::lock_guard guard(lock);
        EXPECT_EQ(value, 1);
        value = 2;
    });
    // As long as the waiter needs to get as far as its naps.
    Backoff backoff;
    for (int i = 0; i < 1200; ++i) backoff.pause();
    value = 1;
    lock.unlock();
    waiter.join();
    EXPECT_EQ(value, 2);
}

}  // namespace
}  // namespace nio
