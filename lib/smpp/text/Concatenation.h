// Which part of which long message a PDU carries.
//
// Thread: any; a value.
// Source: 3GPP TS 23.040, 9.2.3.24.1 and 9.2.3.24.8; SMPP 3.4, 5.3.2.22 to 5.3.2.24 (sar_*).
#pragma once

#include <cstdint>
#include <optional>

#include <smpp/pdu/Pdu.h>

namespace smpp {

struct Concatenation {
    std::uint32_t reference = 0;  // unique per sender and receiver, for a while
    unsigned total = 0;           // parts there are: 1 to 255
    unsigned part = 0;            // this one: 1 to total
};

// By the user data header (a reference of 8 or 16 bits), otherwise by the sar_* TLVs. Nothing: the
// message is whole, or what it says of its parts is senseless (part 0, or beyond the total).
std::optional<Concatenation> concatenationOf(const Pdu& pdu);

}  // namespace smpp
