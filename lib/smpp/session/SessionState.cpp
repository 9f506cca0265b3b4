#include <smpp/session/SessionState.h>

namespace smpp {

namespace {

using States = unsigned;

constexpr States only(State state) {
    return 1u << static_cast<unsigned>(state);
}

constexpr States nowhere = 0;
constexpr States transmitting = only(State::boundTx) | only(State::boundTrx);
constexpr States receiving = only(State::boundRx) | only(State::boundTrx);
constexpr States bound = transmitting | receiving;
constexpr States beforeBind = only(State::open) | only(State::outbound);
constexpr States connected = beforeBind | bound | only(State::unbound);

struct Senders {
    States esme = nowhere;
    States smsc = nowhere;

    constexpr States of(Side side) const { return side == Side::esme ? esme : smsc; }
};

constexpr Senders sendersOf(Command command) {
    switch (command) {
        case Command::bindReceiver:
        case Command::bindTransceiver: return {beforeBind, nowhere};
        case Command::bindTransmitter: return {only(State::open), nowhere};
        case Command::bindReceiverResp:
        case Command::bindTransceiverResp: return {nowhere, beforeBind};
        case Command::bindTransmitterResp:
        case Command::outbind: return {nowhere, only(State::open)};
        case Command::unbind:
        case Command::unbindResp:
        case Command::dataSm:
        case Command::dataSmResp: return {bound, bound};
        case Command::submitSm:
        case Command::submitMulti:
        case Command::querySm:
        case Command::cancelSm:
        case Command::replaceSm: return {transmitting, nowhere};
        case Command::submitSmResp:
        case Command::submitMultiResp:
        case Command::querySmResp:
        case Command::cancelSmResp:
        case Command::replaceSmResp: return {nowhere, transmitting};
        case Command::deliverSm:
        case Command::alertNotification: return {nowhere, receiving};
        case Command::deliverSmResp: return {receiving, nowhere};
        case Command::enquireLink:
        case Command::enquireLinkResp:
        case Command::genericNack: return {connected, connected};
    }
    return {};
}

}  // namespace

std::string_view nameOf(State state) {
    switch (state) {
        case State::open: return "OPEN";
        case State::outbound: return "OUTBOUND";
        case State::boundTx: return "BOUND_TX";
        case State::boundRx: return "BOUND_RX";
        case State::boundTrx: return "BOUND_TRX";
        case State::unbound: return "UNBOUND";
        case State::closed: return "CLOSED";
    }
    return "unknown";
}

std::string_view describe(End end) {
    switch (end) {
        case End::unbound: return "the session was unbound";
        case End::sessionInitTimer: return "nobody bound in time";
        case End::enquireTimer: return "the peer did not answer enquire_link";
        case End::inactivityTimer: return "no message for too long";
        case End::pduReadTimer: return "a PDU did not become whole in time";
        case End::bindRefused: return "the bind was refused";
        case End::badLength: return "a command_length that cannot be";
        case End::protocolBroken: return "the peer broke the protocol";
    }
    return "unknown";
}

bool isAllowed(Command command, Side sender, State state) {
    return (sendersOf(command).of(sender) & only(state)) != 0;
}

}  // namespace smpp
