// Random numbers of one connection: the same seed and connection give the same ones on every
// machine (SplitMix64, Steele, Lea, Flood 2014).
//
// Thread: one at a time; a value.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace load {

class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t stream)
        : state_(seed + (stream + 1) * 0x9e3779b97f4a7c15ULL) {
        state_ = next();
    }

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    // Evenly in [0, 1).
    double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // Evenly in [0, bound), for a bound > 0.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>(fraction() * static_cast<double>(bound));
    }
    // With mean 1: the gaps of a Poisson process.
    double exponential() { return -std::log1p(-fraction()); }

  private:
    std::uint64_t state_;
};

}  // namespace load
