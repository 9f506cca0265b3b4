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
    finished,      // in an orderly way
    reset,         // the peer reset it, or went away while it was sent to
    timedOut,      // idle for too long, or the peer did not take its answers
    cancelled,     // abort(), by the program or at the end of a drain
    outputLimit,   // StreamOptions::outputLimit
    memoryBudget,  // it held the most when the budget was used up (MemoryBudget.h)
    failed,        // a callback threw
    protocol,      // invalid input, truncated input, or an encoding stage such as TLS failed
    other,         // the kernel's other reasons; closed past its handler
};
constexpr std::size_t closeReasons = 9;

CloseReason closeReasonOf(const std::optional<Error>& error);
// "finished", "reset", "timed_out", …
std::string_view toString(CloseReason reason);

}  // namespace nio
