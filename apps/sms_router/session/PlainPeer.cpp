#include "sms_router/session/PlainPeer.h"

#include <smpp/pdu/PduWriter.h>
#include <smpp/text/Receipt.h>

namespace router {

using smpp::Command;
using smpp::Field;

namespace {

constexpr std::size_t mostText = 254;
constexpr std::size_t mostAddress = 20;

bool hasLongText(const smpp::Pdu& pdu) {
    return pdu.message().size() > mostText;
}

bool needsTlvs(const smpp::Pdu& pdu) {
    if (smpp::isReceipt(pdu) && pdu.message().empty()) return true;
    const bool hasPayload = pdu.tlv(smpp::Tag::messagePayload).has_value();
    return hasPayload && (!pdu.has(Field::shortMessage) || hasLongText(pdu));
}

// short_message is the last field.
nio::Bytes bodyOf(const smpp::Pdu& pdu) {
    const nio::ByteView all = pdu.bytes();
    if (!pdu.has(Field::shortMessage)) return nio::copyOf(all.first(pdu.tlvOffset()));
    const nio::ByteView text = pdu.message();
    nio::Bytes plain = nio::copyOf(all.first(pdu.offsetOf(Field::shortMessage) - 1));
    plain.push_back(static_cast<nio::Byte>(text.size()));
    plain.insert(plain.end(), text.begin(), text.end());
    return plain;
}

bool fitsDeliverSm(const smpp::Pdu& dataSm) {
    return !hasLongText(dataSm) && dataSm.text(Field::sourceAddress).size() <= mostAddress &&
           dataSm.text(Field::destinationAddress).size() <= mostAddress;
}

// With its optional parameters.
nio::Bytes deliverSmOf(const smpp::Pdu& dataSm) {
    smpp::PduWriter pdu(Command::deliverSm, dataSm.status(), dataSm.sequence());
    pdu.text(dataSm.text(Field::serviceType));
    pdu.number(dataSm.number(Field::sourceTon)).number(dataSm.number(Field::sourceNpi));
    pdu.text(dataSm.text(Field::sourceAddress));
    pdu.number(dataSm.number(Field::destinationTon)).number(dataSm.number(Field::destinationNpi));
    pdu.text(dataSm.text(Field::destinationAddress));
    // protocol_id, priority_flag and the times, which a data_sm has not.
    pdu.number(dataSm.number(Field::esmClass)).number(0).number(0).text("").text("");
    pdu.number(dataSm.number(Field::registeredDelivery)).number(0);
    pdu.number(dataSm.number(Field::dataCoding)).number(0).number(0);
    return pdu.octets(dataSm.bytes().subspan(dataSm.tlvOffset())).finish();
}

}  // namespace

nio::Bytes withoutTlvs(nio::ByteView pdu) {
    const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
    const bool stays = !scanned.pdu || scanned.pdu->tlvs().empty() || needsTlvs(*scanned.pdu);
    if (stays) return nio::copyOf(pdu);
    nio::Bytes plain = bodyOf(*scanned.pdu);
    for (std::size_t i = 0; i < 4; ++i) {
        plain[i] = static_cast<nio::Byte>(plain.size() >> (24 - 8 * i));
    }
    return plain;
}

std::optional<nio::Bytes> plainSubmission(nio::ByteView pdu) {
    const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
    const bool hasField = scanned.pdu && scanned.pdu->has(Field::shortMessage);
    if (hasField && hasLongText(*scanned.pdu)) return std::nullopt;
    return withoutTlvs(pdu);
}

std::optional<nio::Bytes> plainDelivery(nio::ByteView pdu) {
    const smpp::Scanned scanned = smpp::scan(pdu, smpp::Reading::tolerant);
    if (!scanned.pdu || scanned.pdu->command() != Command::dataSm) return withoutTlvs(pdu);
    if (!fitsDeliverSm(*scanned.pdu)) return std::nullopt;
    return withoutTlvs(deliverSmOf(*scanned.pdu));
}

}  // namespace router
