// The states of a connection, its two sides, and how its session ends.
//
// Thread: any; values.
// Source: SMPP 3.4, 2.2; 5.0, 2.3 (UNBOUND, OUTBOUND).
#pragma once

#include <cstdint>
#include <string_view>

#include <smpp/pdu/Command.h>

namespace smpp {

enum class Side : std::uint8_t { smsc, esme };

enum class State : std::uint8_t { open, outbound, boundTx, boundRx, boundTrx, unbound, closed };

constexpr bool isBound(State state) {
    return state == State::boundTx || state == State::boundRx || state == State::boundTrx;
}

enum class End : std::uint8_t {
    unbound,           // unbind, by either side, and answered
    sessionInitTimer,  // no bind in time
    enquireTimer,      // the peer does not answer enquire_link
    inactivityTimer,   // we have unbound it
    pduReadTimer,      // a PDU did not arrive whole in time
    bindRefused,       // by us, or by the peer (see bindAnswered)
    badLength,         // an invalid command_length
    protocolBroken,    // a violation by the peer that has no answer
};

// "the peer did not answer enquire_link"
std::string_view describe(End end);

// "BOUND_TRX".
std::string_view nameOf(State state);

// Whether the side `sender` may send this request or response in this state (3.4, table 2-1).
// Where that table says nothing or contradicts the text:
//  - replace_sm also in BOUND_TRX, which has all operations of BOUND_TX (2.2);
//  - OUTBOUND is followed by bind_receiver or bind_transceiver (5.0);
//  - enquire_link, generic_nack and their like wherever there is a connection (5.0).
bool isAllowed(Command command, Side sender, State state);

}  // namespace smpp
