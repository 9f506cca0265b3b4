#include "sms_router/link/PlainPeer.h"

#include <smpp/text/Receipt.h>

namespace router {

nio::Bytes withoutTlvs(nio::ByteView pdu) {
    nio::Bytes plain = nio::copyOf(pdu);
    const smpp::Scanned scanned = smpp::scan(pdu);
    if (!scanned.pdu || scanned.pdu->tlvs().empty()) return plain;
    // A request that says all it has to say in its parameters keeps them.
    if (scanned.pdu->tlv(smpp::Tag::messagePayload)) return plain;
    if (smpp::isReceipt(*scanned.pdu) && scanned.pdu->message().empty()) return plain;
    plain.resize(scanned.pdu->tlvOffset());
    for (std::size_t i = 0; i < 4; ++i) {
        plain[i] = static_cast<nio::Byte>(plain.size() >> (24 - 8 * i));
    }
    return plain;
}

}  // namespace router
