#include "simulation/router/SmppWire.h"

#include <smpp/pdu/PduFramer.h>

namespace simulation {

std::optional<nio::Bytes> SmppWire::next() {
    const smpp::Framed framed = smpp::PduFramer().next(in_);
    if (framed.kind != smpp::Framed::Kind::pdu) return std::nullopt;
    nio::Bytes pdu(framed.bytes.begin(), framed.bytes.end());
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(pdu.size()));
    return pdu;
}

}  // namespace simulation
