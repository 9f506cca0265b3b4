#include <algorithm>
#include <cassert>
#include <cstring>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/Layout.h>
#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/Tag.h>

namespace smpp {

namespace {

bool fits(const FieldRule& rule, std::string_view value) {
    const std::size_t size = value.size() + 1;
    if (value.find('\0') != std::string_view::npos) return false;
    if (rule.kind == Kind::time) return size == 1 || size == timeSize;
    return rule.kind == Kind::text && size <= rule.maximum;
}

nio::Byte* copy(nio::ByteView from, nio::Byte* to) {
    return std::copy(from.begin(), from.end(), to);
}

}  // namespace

nio::ByteView PduPatch::Change::written() const {
    return ownSize > 0 ? nio::ByteView(own).first(ownSize) : value;
}

std::size_t PduPatch::Change::writtenSize() const {
    return written().size() + (terminated ? 1 : 0);
}

PduPatch::Change PduPatch::integer(std::size_t offset, std::size_t size, std::size_t value) {
    assert(size == 1 || size == 2);
    Change change;
    change.offset = static_cast<std::uint32_t>(offset);
    change.size = static_cast<std::uint32_t>(size);
    change.ownSize = static_cast<std::uint8_t>(size);
    std::array<nio::Byte, 2> both;
    put16(both.data(), static_cast<std::uint16_t>(value));
    copy(nio::ByteView(both).last(size), change.own.data());
    return change;
}

bool PduPatch::text(Field field, std::string_view value) {
    if (!pdu_.has(field)) return false;
    const FieldRule& rule = pdu_.layout_->rules[pdu_.positionOf(field)];
    const bool staysAsItIs = isText(rule.kind) && value == pdu_.text(field);
    if (!staysAsItIs && !fits(rule, value)) return false;
    Change change;
    change.offset = static_cast<std::uint32_t>(pdu_.offsetOf(field));
    change.size = static_cast<std::uint32_t>(pdu_.sizeOf(field));
    change.value = nio::asBytes(value);
    change.terminated = true;
    return add(change);
}

bool PduPatch::number(Field field, std::uint8_t value) {
    if (!pdu_.has(field)) return false;
    if (pdu_.layout_->rules[pdu_.positionOf(field)].kind != Kind::integer) return false;
    return add(integer(pdu_.offsetOf(field), 1, value));
}

PduPatch::Counted PduPatch::countedTlv(nio::ByteView value) const {
    const auto offset = static_cast<std::size_t>(value.data() - pdu_.bytes().data());
    return Counted{offset - 2, 2, offset, value.size(), longestTlv};
}

std::optional<PduPatch::Counted> PduPatch::countedMessage() const {
    if (pdu_.messageIsInPayload()) return countedTlv(*pdu_.tlv(Tag::messagePayload));
    return countedShortMessage();
}

std::optional<PduPatch::Counted> PduPatch::countedShortMessage() const {
    if (!pdu_.has(Field::shortMessage)) return std::nullopt;
    return Counted{pdu_.offsetOf(Field::messageLength), 1, pdu_.offsetOf(Field::shortMessage),
                   pdu_.sizeOf(Field::shortMessage), maxShortMessage};
}

// All or none.
bool PduPatch::tlv(Tag tag, nio::ByteView value) {
    bool isThere = false;
    const PduPatch before = *this;
    for (const Tlv& tlv : pdu_.tlvs()) {
        if (tlv.tag != tag) continue;
        isThere = true;
        const Counted whole = countedTlv(tlv.value);
        if (replacePart(whole, 0, whole.size, value)) continue;
        changes_ = before.changes_;
        count_ = before.count_;
        return false;
    }
    return isThere;
}

bool PduPatch::shortMessage(std::size_t offset, std::size_t size, nio::ByteView value) {
    const std::optional<Counted> whole = countedShortMessage();
    return whole && replacePart(*whole, offset, size, value);
}

bool PduPatch::message(std::size_t offset, std::size_t size, nio::ByteView value) {
    const std::optional<Counted> whole = countedMessage();
    return whole && replacePart(*whole, offset, size, value);
}

bool PduPatch::octets(std::size_t offset, std::size_t size, nio::ByteView value) {
    const std::size_t end = pdu_.bytes().size();
    if (offset < Header::bytes || offset > end || size > end - offset) return false;
    Change change;
    change.offset = static_cast<std::uint32_t>(offset);
    change.size = static_cast<std::uint32_t>(size);
    change.value = value;
    return add(change);
}

// Both changes or none: on a copy first.
bool PduPatch::replacePart(const Counted& whole, std::size_t offset, std::size_t size,
                           nio::ByteView value) {
    if (offset > whole.size || size > whole.size - offset) return false;
    const auto changes = changes_;
    const std::size_t count = count_;
    if (octets(whole.offset + offset, size, value) && recount(whole)) return true;
    changes_ = changes;
    count_ = count;
    return false;
}

bool PduPatch::recount(const Counted& whole) {
    std::size_t size = whole.size;
    for (std::size_t i = 0; i < count_; ++i) {
        const Change& change = changes_[i];
        const bool within = change.offset >= whole.offset &&
                            change.offset + change.size <= whole.offset + whole.size;
        if (within) size = size - change.size + change.writtenSize();
    }
    return size <= whole.maximum && add(integer(whole.lengthOffset, whole.lengthSize, size));
}

// The same place again: the later value. A place that overlaps another: refused.
bool PduPatch::add(const Change& change) {
    std::size_t place = count_;
    while (place > 0 && changes_[place - 1].offset >= change.offset) --place;
    for (std::size_t i = 0; i < count_; ++i) {
        Change& other = changes_[i];
        if (other.offset == change.offset && other.size == change.size) {
            other = change;
            return true;
        }
        const bool apart = other.offset + other.size <= change.offset ||
                           change.offset + change.size <= other.offset;
        if (!apart) return false;
    }
    if (count_ == maxChanges) return false;
    // An insertion stands before what begins at the same octet.
    if (change.size > 0 && place < count_ && changes_[place].offset == change.offset) ++place;
    std::copy_backward(changes_.begin() + static_cast<std::ptrdiff_t>(place),
                       changes_.begin() + static_cast<std::ptrdiff_t>(count_),
                       changes_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
    changes_[place] = change;
    ++count_;
    return true;
}

std::size_t PduPatch::size() const {
    std::size_t size = pdu_.bytes().size();
    for (std::size_t i = 0; i < count_; ++i) {
        size = size - changes_[i].size + changes_[i].writtenSize();
    }
    return size;
}

void PduPatch::appendTo(nio::Bytes& out) const {
    const std::size_t start = out.size();
    out.resize(start + size());
    nio::Byte* to = out.data() + start;
    put32(to, static_cast<std::uint32_t>(size()));
    put32(to + 4, static_cast<std::uint32_t>(header_.command));
    put32(to + 8, static_cast<std::uint32_t>(header_.status));
    put32(to + 12, header_.sequence);
    appendBody(to + Header::bytes);
}

void PduPatch::appendBody(nio::Byte* to) const {
    const nio::ByteView from = pdu_.bytes();
    std::size_t done = Header::bytes;
    for (std::size_t i = 0; i < count_; ++i) {
        const Change& change = changes_[i];
        to = copy(from.subspan(done, change.offset - done), to);
        to = copy(change.written(), to);
        if (change.terminated) *to++ = nio::Byte{0};
        done = change.offset + change.size;
    }
    copy(from.subspan(done), to);
}

nio::Bytes PduPatch::bytes() const {
    nio::Bytes out;
    appendTo(out);
    return out;
}

void setSequence(std::span<nio::Byte> pdu, std::uint32_t sequence) {
    assert(pdu.size() >= Header::bytes);
    put32(pdu.data() + 12, sequence);
}

void setStatus(std::span<nio::Byte> pdu, Status status) {
    assert(pdu.size() >= Header::bytes);
    put32(pdu.data() + 8, static_cast<std::uint32_t>(status));
}

}  // namespace smpp
