// How long to wait before the next try: twice as long each time, up to a maximum, and never quite
// the same for two who began together.
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace router {

class Backoff {
  public:
    using Duration = std::chrono::milliseconds;

    Backoff(Duration first, Duration maximum, std::uint32_t seed)
        : first_(first), maximum_(maximum), random_(seed) {
        random_.discard(3);
    }

    // Between half of the step and all of it.
    Duration next() {
        const Duration step = std::min(maximum_, first_ * (1 << std::min(tries_, 20)));
        ++tries_;
        std::uniform_int_distribution<Duration::rep> jitter(0, step.count() / 2);
        return step - Duration(jitter(random_));
    }
    // It went well.
    void reset() { tries_ = 0; }

  private:
    Duration first_;
    Duration maximum_;
    int tries_ = 0;
    std::minstd_rand random_;
};

}  // namespace router
