// What peers send that SMPP forbids, and that is understood all the same (docs/smpp.md, "Tolerant
// reading").
//
// Thread: any; pure.
#pragma once

#include <nio/base/Bytes.h>

#include <smpp/pdu/BigEndian.h>

#include "simulation/Random.h"

namespace simulation {

// Behind the last field, and counted by command_length only.
inline nio::Bytes withOctets(nio::Bytes pdu, nio::ByteView more) {
    pdu.insert(pdu.end(), more.begin(), more.end());
    smpp::put32(pdu.data(), static_cast<std::uint32_t>(pdu.size()));
    return pdu;
}

inline nio::Bytes withNuls(nio::Bytes pdu, Random& random) {
    return withOctets(std::move(pdu), nio::Bytes(random.between(1, 5)));
}

// The last string's NUL, say.
inline nio::Bytes withoutLast(nio::Bytes pdu) {
    pdu.pop_back();
    smpp::put32(pdu.data(), static_cast<std::uint32_t>(pdu.size()));
    return pdu;
}

// A TLV whose value is shorter than its length says.
inline nio::Bytes withCutTlv(nio::Bytes pdu, Random& random) {
    const nio::Bytes value(random.below(9), nio::Byte{'x'});
    pdu = withOctets(std::move(pdu), nio::asBytes(std::string_view("\x14\x01\0\x09", 4)));
    return withOctets(std::move(pdu), value);
}

}  // namespace simulation
