#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/BodyScan.h>
#include <smpp/pdu/Layout.h>
#include <smpp/pdu/Pdu.h>

namespace smpp {

namespace {

// Number by number to where it stays: a copy of what was just written would wait for it.
inline void readHeader(const nio::Byte* at, Header& header) {
    header.length = get32(at);
    header.command = static_cast<Command>(get32(at + 4));
    header.status = static_cast<Status>(get32(at + 8));
    header.sequence = get32(at + 12);
}

}  // namespace

std::optional<Header> Header::read(nio::ByteView pdu) {
    if (pdu.size() < Header::bytes) return std::nullopt;
    Header header;
    readHeader(pdu.data(), header);
    return header;
}

std::size_t Pdu::positionOf(Field field) const {
    return layout_ != nullptr ? layout_->positionOf(field) : Layout::nowhere;
}

bool Pdu::has(Field field) const {
    return positionOf(field) < fields_;
}

std::size_t Pdu::offsetOf(Field field) const {
    return has(field) ? starts_[positionOf(field)] : 0;
}

std::size_t Pdu::sizeOf(Field field) const {
    if (!has(field)) return 0;
    const std::size_t position = positionOf(field);
    return starts_[position + 1] - starts_[position];
}

nio::ByteView Pdu::octets(Field field) const {
    return bytes_.subspan(offsetOf(field), sizeOf(field));
}

std::string_view Pdu::text(Field field) const {
    if (!has(field) || !isText(layout_->rules[positionOf(field)].kind)) return {};
    return nio::asText(octets(field).first(sizeOf(field) - 1));
}

std::uint8_t Pdu::number(Field field) const {
    const nio::ByteView found = octets(field);
    return found.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(found.front());
}

TlvList Pdu::tlvs() const {
    return TlvList(bytes_.subspan(tlvOffset_));
}

bool Pdu::messageIsInPayload() const {
    const std::optional<nio::ByteView> payload = tlv(Tag::messagePayload);
    return payload && (!payload->empty() || sizeOf(Field::shortMessage) == 0);
}

nio::ByteView Pdu::message() const {
    return messageIsInPayload() ? *tlv(Tag::messagePayload) : octets(Field::shortMessage);
}

// A response need not have its body. What an error answer has instead of it is not looked at: the
// status is what counts.
Status Pdu::readBody(Reading reading) {
    static_assert(Layout::maxFields == maxFields);
    const bool response = isResponse(header_.command);
    if (layout_ == nullptr || (response && bytes_.size() == Header::bytes)) return Status::ok;

    const bool refuses = response && status() != Status::ok;
    const Status problem = scanFields(bytes_, *layout_, reading, starts_.data());
    if (problem != Status::ok) return refuses ? Status::ok : problem;
    const std::uint32_t fieldsEnd = starts_[layout_->count];
    const RestScan rest = scanRest(bytes_.subspan(fieldsEnd), *layout_, reading);
    if (rest.problem != Status::ok) {
        if (!response) return rest.problem;
        if (refuses) return Status::ok;
        endAt(fieldsEnd + rest.good);
    }
    fields_ = layout_->count;
    tlvOffset_ = fieldsEnd;
    return Status::ok;
}

void Pdu::endAt(std::size_t size) {
    bytes_ = bytes_.first(size);
    header_.length = static_cast<std::uint32_t>(size);
}

Scanned scan(nio::ByteView bytes, Reading reading) {
    Scanned scanned;
    scanned.problem = Status::invCmdLen;
    if (bytes.size() < Header::bytes) return scanned;
    readHeader(bytes.data(), scanned.header);
    if (scanned.header.length != bytes.size()) return scanned;

    Pdu& pdu = scanned.pdu.emplace();
    pdu.bytes_ = bytes;
    readHeader(bytes.data(), pdu.header_);
    pdu.layout_ = layoutOf(scanned.header.command);
    pdu.tlvOffset_ = bytes.size();
    scanned.problem = pdu.readBody(reading);
    if (scanned.problem != Status::ok) scanned.pdu.reset();
    return scanned;
}

}  // namespace smpp
