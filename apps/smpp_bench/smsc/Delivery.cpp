#include "smpp_bench/smsc/Delivery.h"

#include <algorithm>
#include <ctime>

#include <smpp/pdu/PduWriter.h>

namespace smppbench {

using smpp::Field;
using smpp::PduWriter;
using smpp::Tag;

namespace {

constexpr std::uint8_t receiptClass = 0x04;

const char* wordFor(MessageState state) {
    switch (state) {
        case MessageState::enroute: return "ENROUTE";
        case MessageState::delivered: return "DELIVRD";
        case MessageState::deleted: return "DELETED";
        case MessageState::unknown: return "UNKNOWN";
    }
    return "UNKNOWN";
}

// YYMMDDhhmm. Most calls are about the same minute as the one before.
const std::string& minuteOf(std::chrono::system_clock::time_point time) {
    struct Minute {
        std::time_t number = -1;
        std::string text{};
    };
    static thread_local Minute last;
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    if (seconds / 60 == last.number) return last.text;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[16];
    last.text.assign(text, std::strftime(text, sizeof text, "%y%m%d%H%M", &parts));
    last.number = seconds / 60;
    return last.text;
}

std::string receiptText(const ReceiptFacts& facts, MessageState state, const std::string& id) {
    const bool delivered = state == MessageState::delivered;
    std::string text = "id:" + id + " sub:001 dlvrd:" + (delivered ? "001" : "000");
    text += " submit date:" + minuteOf(facts.submitted);
    text += " done date:" + minuteOf(std::chrono::system_clock::now());
    text += std::string(" stat:") + wordFor(state) + " err:000 text:" + facts.text;
    return text;
}

// Up to and with data_coding; the message follows.
PduWriter beginDeliver(const Address& from, const Address& to, std::uint8_t esmClass) {
    PduWriter pdu(smpp::Command::deliverSm, smpp::Status::ok, 0);
    pdu.text("").number(from.ton).number(from.npi).text(from.digits);
    pdu.number(to.ton).number(to.npi).text(to.digits);
    pdu.number(esmClass).number(0).number(0).text("").text("");
    pdu.number(0).number(0).number(0).number(0);
    return pdu;
}

void addMessage(PduWriter& pdu, nio::ByteView text) {
    pdu.number(static_cast<std::uint8_t>(text.size())).octets(text);
}

constexpr nio::Byte addressFlag{1};

std::string takeText(nio::ByteView& rest) {
    const auto end = std::find(rest.begin(), rest.end(), nio::Byte{0});
    std::string text(nio::asText({rest.begin(), end}));
    rest = rest.subspan(std::min(rest.size(), text.size() + 1));
    return text;
}

std::vector<Address> listed(nio::ByteView rest) {
    std::vector<Address> all;
    while (!rest.empty()) {
        const bool isAddress = rest[0] == addressFlag;
        rest = rest.subspan(1);
        Address address;
        if (isAddress && rest.size() >= 2) {
            address.ton = std::to_integer<std::uint8_t>(rest[0]);
            address.npi = std::to_integer<std::uint8_t>(rest[1]);
            rest = rest.subspan(2);
        }
        address.digits = takeText(rest);
        if (isAddress) all.push_back(std::move(address));
    }
    return all;
}

}  // namespace

Address sourceOf(const smpp::Pdu& pdu) {
    return {pdu.number(Field::sourceTon), pdu.number(Field::sourceNpi),
            std::string(pdu.text(Field::sourceAddress))};
}

std::vector<Address> destinationsOf(const smpp::Pdu& pdu) {
    if (pdu.command() == smpp::Command::submitMulti) {
        return listed(pdu.octets(Field::destinations));
    }
    return {{pdu.number(Field::destinationTon), pdu.number(Field::destinationNpi),
             std::string(pdu.text(Field::destinationAddress))}};
}

nio::Bytes receiptPdu(const ReceiptFacts& facts, MessageState state, IdForm idForm,
                      ReceiptForm form) {
    const std::string id = writeId(facts.number, idForm);
    PduWriter pdu = beginDeliver(facts.recipient, facts.sender, receiptClass);
    const bool hasText = form != ReceiptForm::tlv;
    const std::string text = hasText ? receiptText(facts, state, id) : "";
    addMessage(pdu, nio::asBytes(text));
    if (form == ReceiptForm::text) return pdu.finish();
    pdu.tlv(Tag::receiptedMessageId, id + '\0');
    pdu.tlv(Tag::messageState, static_cast<std::uint32_t>(state), 1);
    return pdu.finish();
}

nio::Bytes moPdu(const Address& from, const Address& to, nio::ByteView text) {
    PduWriter pdu = beginDeliver(from, to, 0);
    addMessage(pdu, text);
    return pdu.finish();
}

}  // namespace smppbench
