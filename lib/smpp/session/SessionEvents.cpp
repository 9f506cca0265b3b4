#include <smpp/session/SessionEvents.h>

namespace smpp {

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

}  // namespace smpp
