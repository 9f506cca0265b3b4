// Why a connection ended, as far as it is counted.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nio/base/Error.h>

namespace nio {

enum class CloseReason : std::uint8_t {
    finished,      // closed without an error
    reset,         // by the peer (RST), or EPIPE
    timedOut,      // idle for too long, or the peer did not take its answers
    cancelled,     // abort(), by the program or at the end of a drain
    outputLimit,   // StreamOptions::outputLimit
    memoryBudget,  // evicted (MemoryBudget.h)
    failed,        // a callback threw
    protocol,      // invalid input, truncated input, or an encoding stage such as TLS failed
    other,         // the kernel's other reasons; closed past its handler
};
constexpr std::size_t closeReasons = 9;

CloseReason closeReasonOf(const std::optional<Error>& error);
// "finished", "reset", "timed_out", …
std::string_view toString(CloseReason reason);

}  // namespace nio
