#include "sms_router/smsc/ReceiptPatch.h"

#include <smpp/pdu/BigEndian.h>

namespace router {

namespace {

constexpr std::size_t longestShortMessage = 254;
constexpr std::uint8_t typeBits = 0x3C;
constexpr std::uint8_t deliveryReceipt = 0x04;

// `id`, and behind it what fits of `rest` into a short_message where `before` octets precede it.
// Whole characters, also in UCS2. False: the id does not fit.
bool appendRest(nio::Bytes& id, std::size_t before, nio::ByteView rest) {
    const std::size_t used = before + id.size();
    if (used > longestShortMessage) return false;
    const std::size_t room = (longestShortMessage - used) / 2 * 2;
    id.insert(id.end(), rest.begin(),
              rest.begin() + static_cast<std::ptrdiff_t>(std::min(room, rest.size())));
    return true;
}

}  // namespace

ReceiptPatch::ReceiptPatch(const smpp::Pdu& pdu, const smpp::Receipt& receipt, std::string_view id)
    : patch_(pdu),
      fits_(patchText(pdu, receipt, id) && patchShortText(pdu, receipt, id) &&
            patchTlv(receipt, id) && mark(pdu, receipt)) {}

bool ReceiptPatch::patchText(const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                             std::string_view id) {
    if (!receipt.hasTextId()) return true;
    text_ = smpp::idOctets(id, receipt.form);
    if (patch_.message(receipt.idOffset, receipt.idSize, text_)) return true;
    const nio::ByteView all = pdu.message();
    const nio::ByteView rest = all.subspan(receipt.idOffset + receipt.idSize);
    return appendRest(text_, receipt.idOffset, rest) &&
           patch_.message(receipt.idOffset, all.size() - receipt.idOffset, text_);
}

bool ReceiptPatch::patchShortText(const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                                  std::string_view id) {
    if (receipt.shortIdSize == 0) return true;
    shortText_ = smpp::idOctets(id, receipt.shortForm);
    const std::size_t offset = receipt.shortIdOffset;
    if (patch_.shortMessage(offset, receipt.shortIdSize, shortText_)) return true;
    const nio::ByteView all = pdu.octets(smpp::Field::shortMessage);
    return appendRest(shortText_, offset, all.subspan(offset + receipt.shortIdSize)) &&
           patch_.shortMessage(offset, all.size() - offset, shortText_);
}

bool ReceiptPatch::patchTlv(const smpp::Receipt& receipt, std::string_view id) {
    if (receipt.tlvId.empty()) return true;
    tlv_ = nio::copyOf(nio::asBytes(id));
    tlv_.push_back(nio::Byte{0});
    return patch_.tlv(smpp::Tag::receiptedMessageId, tlv_);
}

bool ReceiptPatch::mark(const smpp::Pdu& pdu, const smpp::Receipt& receipt) {
    if (receipt.isMarked) return true;
    const std::uint8_t others = pdu.number(smpp::Field::esmClass) & ~typeBits & 0xFF;
    return patch_.number(smpp::Field::esmClass,
                         static_cast<std::uint8_t>(others | deliveryReceipt));
}

std::optional<nio::Bytes> withOneReceiptedId(const smpp::Pdu& pdu) {
    constexpr std::size_t headBytes = 4;
    const std::size_t fields = pdu.bytes().size() - pdu.tlvs().octets().size();
    nio::Bytes once = nio::copyOf(pdu.bytes().first(fields));
    std::size_t ids = 0;
    for (const smpp::Tlv& tlv : pdu.tlvs()) {
        if (tlv.tag == smpp::Tag::receiptedMessageId && ++ids > 1) continue;
        once.insert(once.end(), tlv.value.data() - headBytes, tlv.value.data() + tlv.value.size());
    }
    if (ids < 2) return std::nullopt;
    smpp::put32(once.data(), static_cast<std::uint32_t>(once.size()));
    return once;
}

}  // namespace router
