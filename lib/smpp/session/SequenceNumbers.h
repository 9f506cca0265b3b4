// The sequence numbers of our requests: 1 to 0x7FFFFFFF, then from 1 again.
//
// Thread: one at a time.
// Source: SMPP 3.4, 3.2 and 5.1.4.
#pragma once

#include <cstdint>

#include <nio/base/Cpp20.h>

namespace smpp {

class SequenceNumbers {
  public:
    static constexpr std::uint32_t last = 0x7FFFFFFF;

    explicit SequenceNumbers(std::uint32_t first) : used_(first - 1) {}

    // The next number for which `waits(number)` is false; there must be one.
    template <class Waits>
    std::uint32_t next(const Waits& waits) {
        do {
            used_ = used_ >= last ? 1 : used_ + 1;
        } while (waits(used_));
        return used_;
    }

  private:
    std::uint32_t used_;
};

}  // namespace smpp
