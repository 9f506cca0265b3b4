// What one of several workers has of things that are numbered from 0: the first, the first + step,
// the first + 2 * step, … Those of `step` workers, first = 0 to step - 1, are all of them, and
// differ by one at most.
//
// Thread: any; a value.
#pragma once

#include <cstddef>

namespace load {

struct Share {
    std::size_t first = 0;
    std::size_t step = 1;

    // How many of `all` things.
    std::size_t of(std::size_t all) const { return first < all ? (all - first - 1) / step + 1 : 0; }
    // The number of its i-th, and back.
    std::size_t at(std::size_t i) const { return first + i * step; }
    std::size_t indexOf(std::size_t number) const { return (number - first) / step; }
};

}  // namespace load
