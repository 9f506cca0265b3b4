// An answer with no content but its status, as answer() and genericNack() make it, without
// allocating.
//
// Thread: any; a value.
// Source: SMPP 3.4, 4.3 (generic_nack) and the responses of 4, of which some must have a body.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Command.h>
#include <smpp/pdu/Status.h>

namespace smpp {

class ShortAnswer {
  public:
    // To a request: its response, or generic_nack where it has none.
    ShortAnswer(Command request, Status status, std::uint32_t sequence);
    static ShortAnswer genericNack(Status status, std::uint32_t sequence);

    // As long as this object.
    nio::ByteView bytes() const { return nio::ByteView(octets_).first(size_); }

  private:
    static constexpr std::size_t longestBody = 4;

    ShortAnswer(Command command, Status status, std::uint32_t sequence, std::size_t bodySize);

    std::array<nio::Byte, 16 + longestBody> octets_{};
    std::size_t size_;
};

}  // namespace smpp
