// Bytes for people to read: sixteen a line, with where they stand and what they are as text.
//
//     00000010  68 65 6c 6c 6f 0a                                 |hello.|
//
// Thread: any; pure.
#pragma once

#include <string>

#include <nio/base/Bytes.h>

namespace load {

inline constexpr std::size_t longestHexDump = 64 * 1024;

// Of at most longestHexDump bytes, those round byte `middle`; what is left out is said.
std::string hexDump(nio::ByteView bytes, std::size_t middle = 0);

}  // namespace load
