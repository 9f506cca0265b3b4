#include <nio/sys/Ticks.h>

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nio::kernel {

namespace {

bool counterIsSteady() {
#if defined(__x86_64__)
    constexpr unsigned powerManagement = 0x80000007;
    constexpr unsigned invariantCounter = 1u << 8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(powerManagement, &a, &b, &c, &d) != 0 && (d & invariantCounter) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

std::uint64_t clockNanoseconds() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

TickClock TickClock::best() {
    static const TickClock clock = counterIsSteady() ? measured() : TickClock();
    return clock;
}

TickClock TickClock::measured() {
    constexpr std::uint64_t longEnough = 200'000;
    const TickClock counter(true, 0);
    const std::uint64_t began = clockNanoseconds();
    const Ticks first = counter.now();
    std::uint64_t passed = 0;
    Ticks ticks = 0;
    while (passed < longEnough) {
        passed = clockNanoseconds() - began;
        ticks = counter.now() - first;
    }
    // A counter that hardly advances is unusable.
    if (ticks < passed / 1000) return {};
    return {true, (passed << 32) / ticks};
}

}  // namespace nio::kernel
