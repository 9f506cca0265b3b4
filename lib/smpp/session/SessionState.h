// The states of a connection, and its two sides.
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

// "BOUND_TRX".
std::string_view nameOf(State state);

// Whether the side `sender` may send this request or response in this state (3.4, table 2-1).
// Where that table says nothing or contradicts the text:
//  - replace_sm also in BOUND_TRX, which has all operations of BOUND_TX (2.2);
//  - OUTBOUND is followed by bind_receiver or bind_transceiver (5.0);
//  - enquire_link, generic_nack and their like wherever there is a connection (5.0).
bool isAllowed(Command command, Side sender, State state);

}  // namespace smpp
