// Fast byte search, shared by the decoders with delimiters.
//
// Thread: any; pure.
#pragma once

#include <cstddef>
#include <cstring>

#include <nio/base/Bytes.h>

namespace nio {

// The index of the first `wanted`; bytes.size() if there is none.
inline std::size_t findByte(ByteView bytes, Byte wanted) {
    if (bytes.empty()) return 0;  // an empty view may show nullptr, which memchr must not see
    const void* found =
        std::memchr(bytes.data(), std::to_integer<unsigned char>(wanted), bytes.size());
    if (found == nullptr) return bytes.size();
    return static_cast<std::size_t>(static_cast<const Byte*>(found) - bytes.data());
}

inline bool contains(ByteView bytes, Byte wanted) {
    return findByte(bytes, wanted) != bytes.size();
}

}  // namespace nio
