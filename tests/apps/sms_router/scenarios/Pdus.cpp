#include "apps/sms_router/scenarios/Pdus.h"

#include <algorithm>
#include <stdexcept>

#include <smpp/pdu/PduPatch.h>

namespace router::scenarios {

namespace {

smpp::Pdu scanned(const nio::Bytes& octets) {
    const smpp::Scanned result = smpp::scan(octets);
    if (!result.pdu) throw std::runtime_error("a PDU is malformed: " + nameOf(result.problem));
    return *result.pdu;
}

void writeAddresses(PduWriter& pdu, const Message& message) {
    pdu.text(message.serviceType).number(message.fromTon).number(message.fromNpi);
    pdu.text(message.from).number(message.toTon).number(message.toNpi).text(message.to);
}

void writeTlvs(PduWriter& pdu, const std::vector<Tlv>& tlvs) {
    for (const Tlv& tlv : tlvs) pdu.tlv(tlv.tag, std::string_view(tlv.value));
}

nio::Bytes shortMessage(Command command, std::uint32_t sequence, const Message& message) {
    PduWriter pdu(command, Status::ok, sequence);
    writeAddresses(pdu, message);
    pdu.number(message.esmClass).number(0).number(0).text("").text("");
    pdu.number(message.registeredDelivery).number(0).number(message.dataCoding).number(0);
    pdu.number(static_cast<std::uint8_t>(message.text.size())).octets(nio::asBytes(message.text));
    writeTlvs(pdu, message.tlvs);
    return pdu.finish();
}

std::string inHex(nio::ByteView octets) {
    constexpr const char* digits = "0123456789ABCDEF";
    std::string text;
    for (const nio::Byte octet : octets) {
        text += digits[std::to_integer<unsigned>(octet) >> 4];
        text += digits[std::to_integer<unsigned>(octet) & 15];
    }
    return text;
}

std::uint8_t stateNumber(const std::string& state) {
    if (state == "DELIVRD") return 2;
    if (state == "EXPIRED") return 3;
    if (state == "UNDELIV") return 5;
    if (state == "ACCEPTD") return 6;
    return 7;
}

}  // namespace

OwnedPdu::OwnedPdu(nio::Bytes octets)
    : octets_(std::make_shared<const nio::Bytes>(std::move(octets))), pdu_(scanned(*octets_)) {}

std::string OwnedPdu::tlv(Tag tag) const {
    const auto value = pdu_.tlv(tag);
    return value ? std::string(nio::asText(*value)) : "(absent)";
}

nio::Bytes OwnedPdu::numbered(std::uint32_t sequence) const {
    nio::Bytes copy = *octets_;
    smpp::setSequence(copy, sequence);
    return copy;
}

nio::Bytes submitSm(std::uint32_t sequence, const Message& message) {
    return shortMessage(Command::submitSm, sequence, message);
}

nio::Bytes deliverSm(std::uint32_t sequence, const Message& message) {
    return shortMessage(Command::deliverSm, sequence, message);
}

nio::Bytes dataSm(std::uint32_t sequence, const Message& message) {
    PduWriter pdu(Command::dataSm, Status::ok, sequence);
    writeAddresses(pdu, message);
    pdu.number(message.esmClass).number(message.registeredDelivery).number(message.dataCoding);
    if (!message.text.empty()) pdu.tlv(Tag::messagePayload, std::string_view(message.text));
    writeTlvs(pdu, message.tlvs);
    return pdu.finish();
}

Message receiptOf(const std::string& id, const std::string& state, const std::string& tlvId) {
    Message receipt{.from = "41791234567", .to = "12345"};
    receipt.esmClass = 0x04;
    receipt.registeredDelivery = 0;
    if (!id.empty()) {
        receipt.text =
            "id:" + id +
            " sub:001 dlvrd:001 submit date:2401010000 done date:2401010001 stat:" + state +
            " err:000 text:hello";
    }
    if (tlvId != "(absent)") {
        receipt.tlvs.push_back({Tag::receiptedMessageId, tlvId + '\0'});
        receipt.tlvs.push_back(
            {Tag::messageState, std::string(1, static_cast<char>(stateNumber(state)))});
    }
    return receipt;
}

nio::Bytes bindPdu(std::uint32_t sequence, const Binding& binding) {
    return PduWriter(binding.kind, Status::ok, sequence)
        .text(binding.systemId)
        .text(binding.password)
        .text("test")
        .number(binding.version)
        .number(0)
        .number(0)
        .text("")
        .finish();
}

nio::Bytes bare(Command command, std::uint32_t sequence, Status status) {
    return PduWriter(command, status, sequence).finish();
}

nio::Bytes withText(Command command, std::uint32_t sequence, std::string_view text, Status status) {
    return PduWriter(command, status, sequence).text(text).finish();
}

nio::Bytes hex(std::string_view digits) {
    nio::Bytes octets;
    std::string pair;
    for (const char digit : digits) {
        if (digit == ' ' || digit == '\n') continue;
        pair += digit;
        if (pair.size() < 2) continue;
        octets.push_back(static_cast<nio::Byte>(std::stoi(pair, nullptr, 16)));
        pair.clear();
    }
    return octets;
}

::testing::AssertionResult sameOctets(nio::ByteView came, nio::ByteView expected) {
    if (std::equal(came.begin(), came.end(), expected.begin(), expected.end())) {
        return ::testing::AssertionSuccess();
    }
    const auto first =
        std::mismatch(came.begin(), came.end(), expected.begin(), expected.end()).first;
    return ::testing::AssertionFailure()
           << "at octet " << first - came.begin() << " of " << came.size() << ", expected "
           << expected.size() << ":\n"
           << inHex(came.first(std::min<std::size_t>(came.size(), 400))) << "\n"
           << inHex(expected.first(std::min<std::size_t>(expected.size(), 400)));
}

}  // namespace router::scenarios
