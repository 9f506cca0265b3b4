// So many per second, with a burst of a hundredth of a second's worth (at least one).
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <chrono>

#include <nio/sys/Clock.h>

namespace smppbench {

class TokenBucket {
  public:
    // 0: take() always succeeds.
    explicit TokenBucket(double perSecond)
        : perSecond_(perSecond), most_(std::max(1.0, perSecond / 100)), tokens_(most_) {}

    bool take() {
        if (perSecond_ == 0) return true;
        refill();
        if (tokens_ < 1) return false;
        tokens_ -= 1;
        return true;
    }

  private:
    void refill() {
        const nio::TimePoint now = nio::Clock::now();
        const std::chrono::duration<double> passed = now - last_;
        tokens_ = std::min(most_, tokens_ + passed.count() * perSecond_);
        last_ = now;
    }

    const double perSecond_;
    const double most_;
    double tokens_;
    nio::TimePoint last_ = nio::Clock::now();
};

}  // namespace smppbench
