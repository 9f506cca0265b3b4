#include "sms_router/smsc/ReceiptPatch.h"

namespace router {

namespace {

constexpr std::size_t longestShortMessage = 254;

}  // namespace

ReceiptPatch::ReceiptPatch(const smpp::Pdu& pdu, const smpp::Receipt& receipt, std::string_view id)
    : patch_(pdu), fits_(patchText(pdu, receipt, id) && patchTlv(receipt, id)) {}

bool ReceiptPatch::patchText(const smpp::Pdu& pdu, const smpp::Receipt& receipt,
                             std::string_view id) {
    if (!receipt.hasTextId()) return true;
    text_ = smpp::idOctets(id, receipt.form);
    if (patch_.message(receipt.idOffset, receipt.idSize, text_)) return true;
    const nio::ByteView all = pdu.message();
    const nio::ByteView rest = all.subspan(receipt.idOffset + receipt.idSize);
    const std::size_t used = receipt.idOffset + text_.size();
    if (used > longestShortMessage) return false;
    // Whole characters, also in UCS2.
    const std::size_t room = (longestShortMessage - used) / 2 * 2;
    text_.insert(text_.end(), rest.begin(),
                 rest.begin() + static_cast<std::ptrdiff_t>(std::min(room, rest.size())));
    return patch_.message(receipt.idOffset, all.size() - receipt.idOffset, text_);
}

bool ReceiptPatch::patchTlv(const smpp::Receipt& receipt, std::string_view id) {
    if (receipt.tlvId.empty()) return true;
    tlv_ = nio::copyOf(nio::asBytes(id));
    tlv_.push_back(nio::Byte{0});
    return patch_.tlv(smpp::Tag::receiptedMessageId, tlv_);
}

}  // namespace router
