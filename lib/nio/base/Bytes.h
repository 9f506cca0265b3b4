// Byte sequences: owned (Bytes) and viewed (ByteView).
//
// A ByteView does not own its bytes; the function that passes one documents how long it is valid.
//
// Thread: any; pure values.
#pragma once

#include <cstddef>
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

// Receives an encoder's output, piece by piece, in order. append() copies: the bytes must be valid
// only during the call.
class ByteSink {
  public:
    virtual void append(ByteView bytes) = 0;

  protected:
    ~ByteSink() = default;
};

}  // namespace nio
