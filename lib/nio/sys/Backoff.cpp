#include <nio/sys/Backoff.h>

#include <chrono>
#include <thread>

#include <nio/sys/Kernel.h>

namespace nio {

namespace {

constexpr int looks = 100;
constexpr int yields = 1000;
constexpr std::chrono::microseconds nap{50};

}  // namespace

void Backoff::pause() noexcept {
    if (attempt_ >= looks + yields) return std::this_thread::sleep_for(nap);
    ++attempt_ <= looks ? relax() : kernel::yieldCpu();
}

}  // namespace nio
