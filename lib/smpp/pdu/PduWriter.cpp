#include <array>
#include <cassert>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduWriter.h>
#include <smpp/pdu/Tag.h>

namespace smpp {

namespace {

void append(nio::Bytes& bytes, nio::ByteView value) {
    bytes.insert(bytes.end(), value.begin(), value.end());
}

}  // namespace

PduWriter::PduWriter(Command command, Status status, std::uint32_t sequence)
    : bytes_(Header::bytes) {
    put32(bytes_.data() + 4, static_cast<std::uint32_t>(command));
    put32(bytes_.data() + 8, static_cast<std::uint32_t>(status));
    put32(bytes_.data() + 12, sequence);
}

PduWriter& PduWriter::reserve(std::size_t octets) {
    bytes_.reserve(octets);
    return *this;
}

PduWriter& PduWriter::text(std::string_view value) {
    append(bytes_, nio::asBytes(value.substr(0, value.find('\0'))));
    return number(0);
}

PduWriter& PduWriter::number(std::uint8_t value) {
    bytes_.push_back(nio::Byte{value});
    return *this;
}

PduWriter& PduWriter::octets(nio::ByteView value) {
    append(bytes_, value);
    return *this;
}

PduWriter& PduWriter::tlv(Tag tag, nio::ByteView value) {
    assert(value.size() <= longestTlv);
    std::array<nio::Byte, 4> head;
    put16(head.data(), static_cast<std::uint16_t>(tag));
    put16(head.data() + 2, static_cast<std::uint16_t>(value.size()));
    append(bytes_, head);
    return octets(value);
}

PduWriter& PduWriter::tlv(Tag tag, std::string_view value) {
    return tlv(tag, nio::asBytes(value));
}

PduWriter& PduWriter::tlv(Tag tag, std::uint32_t value, std::size_t octets) {
    assert(octets <= 4);
    std::array<nio::Byte, 4> integer;
    put32(integer.data(), value);
    return tlv(tag, nio::ByteView(integer).last(octets));
}

nio::Bytes PduWriter::finish() {
    put32(bytes_.data(), static_cast<std::uint32_t>(bytes_.size()));
    return std::move(bytes_);
}

nio::Bytes answer(Command request, Status status, std::uint32_t sequence) {
    PduWriter writer(responseTo(request), status, sequence);
    const bool ok = status == Status::ok;
    switch (request) {
        case Command::deliverSm:
        case Command::dataSm: writer.text({}); break;  // message_id, also in an error
        case Command::bindReceiver:
        case Command::bindTransmitter:
        case Command::bindTransceiver:
        case Command::submitSm:
            if (ok) writer.text({});
            break;
        case Command::submitMulti:
            if (ok) writer.text({}).number(0);
            break;
        case Command::querySm:
            if (ok) writer.text({}).text({}).number(0).number(0);
            break;
        default: break;
    }
    return writer.finish();
}

nio::Bytes genericNack(Status status, std::uint32_t sequence) {
    return PduWriter(Command::genericNack, status, sequence).finish();
}

}  // namespace smpp
