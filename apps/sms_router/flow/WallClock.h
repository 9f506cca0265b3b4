// What the calendar says, for what outlives the process.
//
// Thread: any.
#pragma once

#include <chrono>
#include <cstdint>

namespace router {

// Since 1970.
inline std::int64_t wallSeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace router
