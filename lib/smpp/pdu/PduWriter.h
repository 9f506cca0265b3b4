// Writes one PDU, field by field in the order of the specification; finish() fills in the length.
//
//     nio::Bytes pdu = PduWriter(Command::submitSmResp, Status::ok, 7).text("0A1B").finish();
//
// It knows no layouts: it writes what it is given.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Command.h>
#include <smpp/pdu/Status.h>
#include <smpp/pdu/Tag.h>

namespace smpp {

class PduWriter {
  public:
    PduWriter(Command command, Status status, std::uint32_t sequence);

    // Room for so many octets, so that they are written in place.
    PduWriter& reserve(std::size_t octets);
    // A C-octet string: the octets up to a NUL, and a NUL.
    PduWriter& text(std::string_view value);
    PduWriter& number(std::uint8_t value);
    PduWriter& octets(nio::ByteView value);
    // At most 65,535 octets (asserted), just as they are: a NUL is the caller's.
    PduWriter& tlv(Tag tag, nio::ByteView value);
    PduWriter& tlv(Tag tag, std::string_view value);
    // An integer value of 1, 2 or 4 octets.
    PduWriter& tlv(Tag tag, std::uint32_t value, std::size_t octets);

    nio::Bytes finish();

  private:
    nio::Bytes bytes_;
};

// An answer with no content but its status. With Status::ok it has its command's body, empty; with
// any other status only deliver_sm_resp and data_sm_resp have one (3.4, 4.6.2 and 4.7.2).
nio::Bytes answer(Command request, Status status, std::uint32_t sequence);
nio::Bytes genericNack(Status status, std::uint32_t sequence);

}  // namespace smpp
