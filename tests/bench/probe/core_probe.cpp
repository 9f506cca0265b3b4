// How two CPUs are at the moment: core-probe A B prints one line of JSON.
//
//     near    nanoseconds that a cache line takes from A to B and back. Virtual CPUs may be moved
//             between cores that share a cache and such that do not; an echo then costs more
//     speedA  nanoseconds of CPU time for a step of a fixed calculation on A, and on B: they rise
//     speedB  when somebody else is on the same core. It is one that uses all of a core's units, as
//             what waits for its own last result leaves room for a second thread
//
// It takes some 20 ms, with the CPUs for itself as far as they are free. The best of a few tries
// counts: what disturbs can only make it longer.
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

constexpr int tries = 5;
constexpr unsigned rounds = 3000;
constexpr unsigned roundsToWarmUp = 500;
constexpr unsigned steps = 50'000;
constexpr std::size_t independent = 8;

bool stayOn(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    return ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) == 0;
}

struct alignas(128) Ball {
    std::atomic<unsigned> at{0};
};

void answer(Ball& ball, int cpu) {
    stayOn(cpu);
    for (unsigned i = 0; i < rounds; ++i) {
        while (ball.at.load(std::memory_order_acquire) != 2 * i + 1) {
        }
        ball.at.store(2 * i + 2, std::memory_order_release);
    }
}

double roundTrip(int from, int to) {
    using Clock = std::chrono::steady_clock;
    Ball ball;
    std::thread other(answer, std::ref(ball), to);
    stayOn(from);
    Clock::time_point began;
    for (unsigned i = 0; i < rounds; ++i) {
        if (i == roundsToWarmUp) began = Clock::now();
        ball.at.store(2 * i + 1, std::memory_order_release);
        while (ball.at.load(std::memory_order_acquire) != 2 * i + 2) {
        }
    }
    const std::chrono::duration<double, std::nano> took = Clock::now() - began;
    other.join();
    return took.count() / (rounds - roundsToWarmUp);
}

double cpuNanoseconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double stepTime(int cpu) {
    stayOn(cpu);
    std::array<std::uint64_t, independent> values{};
    const double began = cpuNanoseconds();
    for (unsigned i = 0; i < steps; ++i) {
        for (std::uint64_t& value : values) value = (value + (value << 1)) ^ i;
        // Else the compiler would calculate several steps at once, or none.
        asm volatile("" : "+m"(values));
    }
    return (cpuNanoseconds() - began) / steps;
}

template <class Measure>
double best(Measure measure) {
    double least = measure();
    for (int i = 1; i < tries; ++i) least = std::min(least, measure());
    return least;
}

}  // namespace

int main(int argc, char** argv) {
    const int a = argc > 2 ? std::atoi(argv[1]) : -1;
    const int b = argc > 2 ? std::atoi(argv[2]) : -1;
    if (a < 0 || b < 0 || a >= CPU_SETSIZE || b >= CPU_SETSIZE || !stayOn(a) || !stayOn(b)) {
        std::fprintf(stderr, "usage: core-probe CPU CPU\n");
        return 2;
    }
    // On one CPU the two would wait for each other's time slices.
    const double near = a == b ? 0 : best([=] { return roundTrip(a, b); });
    std::printf("{\"near\": %.1f, \"speedA\": %.3f, \"speedB\": %.3f}\n", near,
                best([=] { return stepTime(a); }), best([=] { return stepTime(b); }));
    return 0;
}
