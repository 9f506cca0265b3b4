#include "smpp_bench/esme/MessageTemplate.h"

#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>

namespace smppbench {

namespace {

constexpr std::size_t changingDigits = 6;

nio::Bytes filler(std::size_t octets) {
    constexpr std::string_view words = "the quick brown fox jumps over the lazy dog ";
    nio::Bytes text(octets);
    for (std::size_t i = 0; i < octets; ++i) text[i] = nio::Byte(words[i % words.size()]);
    return text;
}

nio::Bytes write(const EsmeOptions& options) {
    smpp::PduWriter pdu(smpp::Command::submitSm, smpp::Status::ok, 1);
    pdu.text("").number(1).number(1).text(options.load.from);
    pdu.number(1).number(1).text(options.load.toPrefix + std::string(changingDigits, '0'));
    pdu.number(0).number(0).number(0).text("").text("");
    pdu.number(options.checks.registered ? 1 : 0).number(0).number(0).number(0);
    pdu.number(static_cast<std::uint8_t>(options.load.payloadOctets));
    return pdu.octets(filler(options.load.payloadOctets)).finish();
}

}  // namespace

MessageTemplate::MessageTemplate(const EsmeOptions& options, std::uint32_t run)
    : run_(run), pdu_(write(options)) {
    const smpp::Scanned scanned = smpp::scan(pdu_);
    if (!scanned.pdu) throw std::invalid_argument("these addresses make no submit_sm");
    const smpp::Pdu& pdu = *scanned.pdu;
    text_ = pdu.offsetOf(smpp::Field::shortMessage);
    digits_ = pdu.offsetOf(smpp::Field::destinationAddress) + options.load.toPrefix.size();
}

nio::ByteView MessageTemplate::message(std::uint32_t number, std::uint32_t sequence) {
    smpp::setSequence(pdu_, sequence);
    Stamp{run_, number}.writeTo(std::span(pdu_).subspan(text_));
    for (std::size_t i = changingDigits; i-- > 0; number /= 10) {
        pdu_[digits_ + i] = nio::Byte('0' + number % 10);
    }
    return pdu_;
}

}  // namespace smppbench
