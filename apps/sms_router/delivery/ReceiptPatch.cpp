#include "sms_router/delivery/ReceiptPatch.h"

#include <algorithm>
#include <array>
#include <utility>

#include <smpp/pdu/BigEndian.h>
#include <smpp/text/ReceiptWords.h>

namespace router {

using smpp::Field;

namespace {

constexpr std::size_t longestShortMessage = 254;
constexpr std::uint8_t typeBits = 0x3C;
constexpr std::uint8_t deliveryReceipt = 0x04;
constexpr unsigned receiptBits = 0x24;  // and those of an intermediate notification

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

// Shorter ones could be a count or a date; with letters they could be a word.
constexpr std::size_t shortestNumber = 5;
constexpr std::size_t shortestName = 3;

bool isLetter(char c) {
    const unsigned letter = static_cast<unsigned char>(c) | 0x20U;
    return (letter >= 'a' && letter <= 'z') || letter >= 0x80;
}

bool isOfWord(nio::Byte octet) {
    const char c = std::to_integer<char>(octet);
    return (c >= '0' && c <= '9') || isLetter(c);
}

// A word that stands in a receipt for something else than an address.
bool isOfReceipt(std::string_view word, const smpp::Receipt& receipt) {
    return smpp::ReceiptWords::isOfKeyword(word) || word == receipt.stateWord.view() ||
           word == receipt.error.view();
}

// An address that a receipt's text may name, without its plus sign, and what is written instead.
struct NamedAddress {
    NamedAddress(std::string_view address, std::string_view own, const smpp::Receipt& receipt)
        : octets(smpp::idOctets(address.substr(address.starts_with('+') ? 1 : 0), receipt.form)),
          other(smpp::idOctets(own, receipt.form)),
          isName(std::any_of(address.begin(), address.end(), isLetter)),
          isAmbiguous(isOfReceipt(address, receipt)) {}

    nio::Bytes octets;
    nio::Bytes other;
    bool isName;
    bool isAmbiguous;
};

// A text as characters of one octet, or of two.
class NamingText {
  public:
    NamingText(nio::ByteView text, const smpp::Receipt& receipt)
        : text_(text),
          width_(receipt.form == smpp::Receipt::Form::octets ? 1 : 2),
          low_(receipt.form == smpp::Receipt::Form::ucs2 ? 1 : 0),
          plus_(smpp::idOctets("+", receipt.form)),
          end_(endOf(receipt.form)),
          idStart_(receipt.idOffset),
          idEnd_(receipt.idOffset + receipt.idSize) {}

    // Each address is replaced where it is a word of its own, with its plus sign.
    nio::Bytes with(const std::array<NamedAddress, 2>& addresses) const {
        nio::Bytes result;
        for (std::size_t at = 0; at < text_.size();) {
            const std::size_t plus = at < end_ && isThere(at, plus_) ? width_ : 0;
            const NamedAddress* named = at < end_ ? namedAt(at + plus, addresses) : nullptr;
            const std::size_t size = std::min(width_, text_.size() - at);
            append(result, named == nullptr ? text_.subspan(at, size) : named->other);
            at += named == nullptr ? size : plus + named->octets.size();
        }
        return result;
    }

  private:
    static void append(nio::Bytes& to, nio::ByteView some) {
        to.insert(to.end(), some.begin(), some.end());
    }
    // Of the SMSC's part.
    std::size_t endOf(smpp::Receipt::Form form) const {
        const std::array<nio::Bytes, 3> words{smpp::idOctets("text:", form),
                                              smpp::idOctets("Text:", form),
                                              smpp::idOctets("TEXT:", form)};
        std::size_t end = text_.size();
        for (const nio::Bytes& word : words) {
            const auto found = std::search(text_.begin(), text_.end(), word.begin(), word.end());
            end = std::min(end, static_cast<std::size_t>(found - text_.begin()));
        }
        return end;
    }
    bool isThere(std::size_t at, const nio::Bytes& octets) const {
        const nio::ByteView rest = text_.subspan(at);
        return rest.size() >= octets.size() &&
               std::equal(octets.begin(), octets.end(), rest.begin());
    }
    bool isOfWordAt(std::size_t at) const {
        return at + width_ <= text_.size() && isOfWord(text_[at + low_]);
    }
    bool isColonAt(std::size_t at) const {
        return at + width_ <= text_.size() &&
               smpp::ReceiptWords::isColon(std::to_integer<char>(text_[at + low_]));
    }
    const NamedAddress* namedAt(std::size_t at,
                                const std::array<NamedAddress, 2>& addresses) const {
        if (at >= idStart_ && at < idEnd_) return nullptr;
        if (at > 0 && isOfWordAt(at - width_)) return nullptr;
        for (const NamedAddress& each : addresses) {
            const std::size_t size = each.octets.size();
            const std::size_t shortest = each.isName ? shortestName : shortestNumber;
            if (each.isAmbiguous || size < shortest * width_ || !isThere(at, each.octets)) continue;
            const bool isKeyword = each.isName && isColonAt(at + size);
            if (!isOfWordAt(at + size) && !isKeyword) return &each;
        }
        return nullptr;
    }

    nio::ByteView text_;
    std::size_t width_;
    std::size_t low_;  // where in a character its low octet is
    nio::Bytes plus_;
    std::size_t end_;
    std::size_t idStart_;
    std::size_t idEnd_;
};

// Also where it is longer than its field may be: it came so.
bool setAddress(smpp::PduPatch& patch, const smpp::Pdu& pdu, Field field,
                const std::string& withNul) {
    return patch.octets(pdu.offsetOf(field), pdu.sizeOf(field), nio::asBytes(withNul));
}

// Whether the receipt comes from where its message went, rather than from the message's sender.
bool isTurned(const smpp::Pdu& receipt, const SentAddresses& sent) {
    const auto from = AddressMark::of(receipt.text(Field::sourceAddress));
    const auto to = AddressMark::of(receipt.text(Field::destinationAddress));
    return sent.destination.likeness(from) + sent.sender.likeness(to) >=
           sent.destination.likeness(to) + sent.sender.likeness(from);
}

}  // namespace

ReceiptPatch::ReceiptPatch(const smpp::Pdu& pdu, const smpp::Receipt& receipt, std::string_view id)
    : patch_(pdu),
      fits_(patchText(pdu, receipt, id) && patchShortText(pdu, receipt, id) && patchTlv(pdu, id) &&
            mark(pdu)) {}

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

// Also one that is no text: an ESME would look for it.
bool ReceiptPatch::patchTlv(const smpp::Pdu& pdu, std::string_view id) {
    const auto theirs = pdu.tlv(smpp::Tag::receiptedMessageId);
    if (!theirs || theirs->empty()) return true;
    tlv_.reserve(id.size() + 1);
    tlv_.assign(nio::asBytes(id).begin(), nio::asBytes(id).end());
    tlv_.push_back(nio::Byte{0});
    return patch_.tlv(smpp::Tag::receiptedMessageId, tlv_);
}

bool ReceiptPatch::mark(const smpp::Pdu& pdu) {
    const std::uint8_t esmClass = pdu.number(smpp::Field::esmClass);
    const unsigned type = esmClass & typeBits;
    const bool isMarked = (type & ~receiptBits) == 0 && type != 0;
    if (isMarked) return true;
    const std::uint8_t others = esmClass & ~typeBits & 0xFF;
    return patch_.number(smpp::Field::esmClass,
                         static_cast<std::uint8_t>(others | deliveryReceipt));
}

nio::Bytes withOwnAddresses(const nio::Bytes& receipt, const OwnAddresses& own,
                            const SentAddresses& sent) {
    const smpp::Scanned scanned = smpp::scan(receipt, smpp::Reading::tolerant);
    if (!scanned.pdu) return receipt;
    const smpp::Pdu& pdu = *scanned.pdu;
    smpp::PduPatch patch(pdu);
    const SourceAddress& to = own.source;
    const SourceAddress& from = own.destination;
    const smpp::Receipt read = smpp::receiptOf(pdu).value_or(smpp::Receipt());
    const nio::ByteView text = pdu.message();
    std::string_view sentTo = pdu.text(Field::sourceAddress);
    std::string_view sentFrom = pdu.text(Field::destinationAddress);
    if (!isTurned(pdu, sent)) std::swap(sentTo, sentFrom);
    const nio::Bytes named =
        NamingText(text, read)
            .with({NamedAddress(sentTo, from.address.empty() ? sentTo : from.address, read),
                   NamedAddress(sentFrom, to.address, read)});
    if (!std::equal(named.begin(), named.end(), text.begin(), text.end())) {
        (void)patch.message(0, text.size(), named);
    }
    const std::string source = from.address + '\0';
    const std::string destination = to.address + '\0';
    if (setAddress(patch, pdu, Field::destinationAddress, destination)) {
        (void)patch.number(Field::destinationTon, to.ton);
        (void)patch.number(Field::destinationNpi, to.npi);
    }
    if (!from.address.empty() && setAddress(patch, pdu, Field::sourceAddress, source)) {
        (void)patch.number(Field::sourceTon, from.ton);
        (void)patch.number(Field::sourceNpi, from.npi);
    }
    return patch.bytes();
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
