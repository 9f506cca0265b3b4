// Random numbers that are the same on every machine: xoshiro256**, seeded by splitmix64.
//
// Thread: a value.
// Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2018).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace simulation {

class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) word = splitmix(seed);
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // 0 to bound - 1; 0 for a bound of 0. The bias of so small bounds does not matter here.
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : next() % bound; }
    std::size_t between(std::size_t least, std::size_t most) {
        return least + below(most - least + 1);
    }
    bool chance(unsigned perMille) { return below(1000) < perMille; }
    // Small ones as often as large ones: the number of bits is drawn first.
    std::size_t anySize(std::size_t most) {
        const auto bits = static_cast<unsigned>(below(std::bit_width(most) + 1));
        const std::size_t size = next() & ((std::size_t{1} << bits) - 1);
        return size > most ? most : size;
    }

  private:
    static std::uint64_t splitmix(std::uint64_t& seed) {
        std::uint64_t word = seed += 0x9e3779b97f4a7c15;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        return word ^ (word >> 31);
    }

    std::array<std::uint64_t, 4> state_{};
};

}  // namespace simulation
