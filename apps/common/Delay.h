// A random delay: always the same time, uniform between two times, or exponential around a mean
// (the waiting times of independent users of one resource).
//
// Thread: any; a value.
#pragma once

#include <random>
#include <string>

#include <nio/base/Result.h>
#include <nio/sys/Clock.h>

namespace apps {

class Delay {
  public:
    using Time = nio::Clock::duration;
    using Random = std::minstd_rand;

    Delay() = default;  // none
    explicit Delay(Time always) : low_(always), high_(always) {}
    // "5ms", "1ms..10ms" or "exp:5ms". Errors: invalid_argument; the context is a sentence.
    static nio::Result<Delay> parse(const std::string& text);

    Time next(Random& random) const;
    // next() returns no more.
    Time longest() const { return high_; }
    bool isNone() const { return high_ == Time::zero(); }

  private:
    Time low_{0};
    Time high_{0};
    Time mean_{0};  // zero: not exponential
};

}  // namespace apps
