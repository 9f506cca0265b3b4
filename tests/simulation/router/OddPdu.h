// What peers send that SMPP forbids, and what the router makes of it (docs/smpp.md, "Tolerant
// reading").
//
// Thread: any; pure.
#pragma once

#include <optional>
#include <string_view>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>

#include "simulation/Random.h"

namespace simulation {

// What a PDU is in a run.
enum class Place : unsigned {
    bind = 1U << 0U,
    bindAnswer = 1U << 1U,
    submit = 1U << 2U,
    multi = 1U << 3U,
    query = 1U << 4U,
    original = 1U << 5U,
    receipt = 1U << 6U,
    alert = 1U << 7U,
    accepted = 1U << 8U,       // a submit
    multiAccepted = 1U << 9U,  // likewise
    refusal = 1U << 10U,
    acknowledgement = 1U << 11U,
};

struct OddPdu {
    nio::Bytes sent;
    nio::Bytes read;                          // what is passed on of it
    smpp::Status refused = smpp::Status::ok;  // with this, and not passed on
    const char* name = "";
};

// A PDU that is right, with one of the oddities of its place.
OddPdu oddPdu(Place place, const nio::Bytes& pdu, Random& random);

// Nothing: there is something in it that is to be mended.
std::optional<smpp::Pdu> wellFormed(nio::ByteView octets);

// What an ESME that binds with this version is to get behind the header.
nio::ByteView bodyFor(std::uint8_t version, nio::ByteView pdu);

}  // namespace simulation
