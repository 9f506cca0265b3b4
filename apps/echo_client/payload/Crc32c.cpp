#include "echo_client/payload/Crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace load {

namespace {

constexpr std::size_t longestPiece = std::size_t{1} << 30;  // ISA-L counts in int

unsigned int addPiece(nio::ByteView piece, unsigned int state) {
    // It only reads, but does not say so.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<nio::Byte*>(piece.data()));
    return crc32_iscsi(data, static_cast<int>(piece.size()), state);
}

}  // namespace

// Inverted before and after: ISA-L leaves that to its caller.
std::uint32_t crc32c(nio::ByteView bytes, std::uint32_t before) {
    unsigned int state = ~before;
    while (bytes.size() > longestPiece) {
        state = addPiece(bytes.first(longestPiece), state);
        bytes = bytes.subspan(longestPiece);
    }
    return ~addPiece(bytes, state);
}

}  // namespace load
