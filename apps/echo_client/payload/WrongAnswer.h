// A wrong answer as text for a reader: each worker keeps its first one in full.
//
// Thread: one at a time; pure but for the LoadErrors passed in.
#pragma once

#include <cstdint>
#include <string>

#include <nio/base/Bytes.h>

#include "echo_client/figures/LoadErrors.h"

namespace load {

// Lifetime: what it shows lives during the call it is given to.
struct WrongAnswer {
    std::size_t connection;
    std::uint64_t sequence;  // of the message
    std::string what;        // e.g. "byte 21 is 0x40 instead of 0x41"
    nio::ByteView got;       // as far as known
    nio::ByteView expected;  // empty: not known
};

// "byte 21 is 0x40 instead of 0x41": the first difference within the length of both; empty: none.
std::string differenceOf(nio::ByteView got, nio::ByteView expected);

// Keeps an example of each kind that has none yet: the line, and the dump if there are bytes.
bool wantsExample(const LoadErrors& errors);
void keepExample(LoadErrors& errors, const WrongAnswer& answer);

inline constexpr std::size_t longestHexDump = 64 * 1024;

// Sixteen bytes a line, with their offset and as text:
//     00000010  68 65 6c 6c 6f 0a                                 |hello.|
// Shows at most longestHexDump bytes, those around byte `middle`, and says how many it omits.
std::string hexDump(nio::ByteView bytes, std::size_t middle = 0);

}  // namespace load
