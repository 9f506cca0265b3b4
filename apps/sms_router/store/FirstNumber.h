// Where numbers begin that no run may have had before, when nothing says what earlier runs had (no
// store, or one that was lost): microseconds since 1970.
//
// A run that takes fewer than a million numbers a second stays behind the clock, so that the next
// one begins above all of them.
//
// Thread: any.
#pragma once

#include <chrono>
#include <cstdint>

namespace router {

inline std::uint64_t firstNumber() {
    using std::chrono::microseconds;
    const auto since1970 = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(since1970).count());
}

}  // namespace router
