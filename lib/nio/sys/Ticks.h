// The cheapest monotonic clock, for measurements: the processor's counter if it is constant and
// synchronized (x86-64 with an invariant time-stamp counter, ARM64), else the kernel's clock. Use
// Clock for deadlines.
//
// All ticks of a process have the same source; differences may be off by 0.1 %.
//
// Thread: any; a value.
#pragma once

#include <chrono>
#include <cstdint>

#include <nio/sys/Clock.h>

namespace nio::kernel {

using Ticks = std::uint64_t;

class TickClock {
  public:
    // Calibrated once per process, in a fraction of a millisecond.
    static TickClock best();
    // The kernel's clock: one tick is one nanosecond.
    TickClock() = default;

    Ticks now() const noexcept {
#if defined(__x86_64__)
        if (counter_) [[likely]]
            return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
        if (counter_) [[likely]] {
            Ticks value = 0;
            asm volatile("mrs %0, cntvct_el0" : "=r"(value));
            return value;
        }
#endif
        return static_cast<Ticks>(Clock::now().time_since_epoch().count());
    }

    std::uint64_t nanoseconds(Ticks ticks) const noexcept {
#if defined(__SIZEOF_INT128__)
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(ticks) * perTick_) >> 32);
#else
        // The same in halves: a 32-bit processor has no product of 128 bits.
        const std::uint64_t low = ticks & 0xFFFF'FFFF;
        const std::uint64_t high = ticks >> 32;
        return high * perTick_ + low * (perTick_ >> 32) + ((low * (perTick_ & 0xFFFF'FFFF)) >> 32);
#endif
    }
    // For a difference that may be negative.
    std::int64_t signedNanoseconds(Ticks ticks) const noexcept {
        const auto value = static_cast<std::int64_t>(ticks);
        return value < 0 ? -static_cast<std::int64_t>(nanoseconds(0 - ticks))
                         : static_cast<std::int64_t>(nanoseconds(ticks));
    }
    std::chrono::nanoseconds time(Ticks ticks) const noexcept {
        return std::chrono::nanoseconds(nanoseconds(ticks));
    }
    bool isCounter() const {
        return counter_;
    }

  private:
    TickClock(bool counter, std::uint64_t perTick) : counter_(counter), perTick_(perTick) {}
    static TickClock measured();

    bool counter_ = false;
    std::uint64_t perTick_ = std::uint64_t{1}
                             << 32;  // nanoseconds per tick, fixed point with 32 fraction bits
};

}  // namespace nio::kernel
