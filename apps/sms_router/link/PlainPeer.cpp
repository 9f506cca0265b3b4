#include "sms_router/link/PlainPeer.h"

#include <smpp/pdu/Pdu.h>

namespace router {

nio::Bytes withoutTlvs(nio::ByteView pdu) {
    nio::Bytes plain = nio::copyOf(pdu);
    const smpp::Scanned scanned = smpp::scan(pdu);
    if (!scanned.pdu || scanned.pdu->tlvs().empty()) return plain;
    if (scanned.pdu->tlv(smpp::Tag::messagePayload)) return plain;
    plain.resize(scanned.pdu->tlvOffset());
    for (std::size_t i = 0; i < 4; ++i) {
        plain[i] = static_cast<nio::Byte>(plain.size() >> (24 - 8 * i));
    }
    return plain;
}

}  // namespace router
