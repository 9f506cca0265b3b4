// Where PDUs begin and end in a stream of bytes. The command_length is judged as soon as its four
// octets have arrived: what is over the maximum is never waited for.
//
// Thread: any; a value.
// Source: SMPP 3.4, 3.2.1.
#pragma once

#include <cstddef>

#include <nio/base/Bytes.h>

namespace smpp {

struct Framed {
    enum class Kind {
        needMore,
        pdu,        // `bytes` is one whole PDU
        badLength,  // under 16 or over the maximum: `bytes` is its header, as much as came of it
                    // (at least 4 octets); the stream cannot go on
    };
    Kind kind = Kind::needMore;
    nio::ByteView bytes{};  // within what was given
};

class PduFramer {
  public:
    // A message_payload of 65,535 octets and all else that a submit_sm may have fit.
    static constexpr std::size_t defaultMaximum = 72 * 1024;

    explicit PduFramer(std::size_t maximumPduBytes = defaultMaximum) : maximum_(maximumPduBytes) {}

    std::size_t maximumPduBytes() const { return maximum_; }
    // `unread` begins with the first octet of a PDU. A bad length over the maximum is reported once
    // the 16 octets of the header are there, so that the answer can carry the sequence number.
    Framed next(nio::ByteView unread) const;

  private:
    std::size_t maximum_;
};

}  // namespace smpp
