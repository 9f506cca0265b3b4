#include "smpp_bench/esme/ReceiptText.h"

namespace smppbench {

using smpp::Field;
using smpp::Pdu;

namespace {

constexpr int messageTypeBits = 0x3C;
constexpr int receiptType = 0x04;

std::string_view wordAfter(std::string_view key, std::string_view text) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + key.size());
    return rest.substr(0, rest.find(' '));
}

std::string_view idOfTlv(const Pdu& pdu) {
    const auto value = pdu.tlv(smpp::Tag::receiptedMessageId);
    if (!value) return {};
    const std::string_view text = nio::asText(*value);
    return text.substr(0, text.find('\0'));
}

// ENROUTE and ACCEPTED are followed by another receipt.
bool isFinalState(const Pdu& pdu, std::string_view word) {
    const auto state = pdu.tlv(smpp::Tag::messageState);
    constexpr nio::Byte enroute{1};
    constexpr nio::Byte accepted{6};
    if (state && state->size() == 1) return state->front() != enroute && state->front() != accepted;
    return word != "ENROUTE" && word != "ACCEPTD";
}

}  // namespace

ReceiptReading readReceipt(const Pdu& pdu) {
    ReceiptReading reading;
    reading.isReceipt = (pdu.number(Field::esmClass) & messageTypeBits) == receiptType;
    if (!reading.isReceipt) return reading;
    const std::string_view text = nio::asText(pdu.message());
    const std::string_view byText = wordAfter("id:", text);
    const std::string_view byTlv = idOfTlv(pdu);
    reading.state = wordAfter("stat:", text);
    reading.isFinal = isFinalState(pdu, reading.state);
    reading.disagrees = !byText.empty() && !byTlv.empty() && byText != byTlv;
    reading.messageId = byTlv.empty() ? byText : byTlv;
    return reading;
}

}  // namespace smppbench
