// How much may be kept for an account that does not take it.
//
// Thread: any; a value.
#pragma once

#include <chrono>
#include <cstddef>

namespace router {

struct KeptLimits {
    std::size_t messages = 10'000;
    std::size_t bytes = 8 * 1024 * 1024;
    std::chrono::seconds time{7 * 24 * 3600};
};

}  // namespace router
