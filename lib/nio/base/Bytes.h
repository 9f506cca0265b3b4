// Byte sequences: owned (Bytes) and viewed (ByteView).
//
// A ByteView does not own its bytes; the function that passes one documents how long it is valid.
//
// Thread: any; pure values.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <nio/base/Cpp20.h>

namespace nio {

using Byte = std::byte;
using Bytes = std::vector<Byte>;
using ByteView = std::span<const Byte>;

inline ByteView asBytes(std::string_view text) {
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

inline std::string_view asText(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes copyOf(ByteView bytes) {
    return {bytes.begin(), bytes.end()};
}

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

// Receives an encoder's output, piece by piece, in order. append() copies: the bytes must be valid
// only during the call.
class ByteSink {
  public:
    virtual void append(ByteView bytes) = 0;

  protected:
    ~ByteSink() = default;
};

}  // namespace nio
