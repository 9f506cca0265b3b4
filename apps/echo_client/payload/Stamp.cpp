#include "echo_client/payload/Stamp.h"

#include <isa-l/crc.h>

namespace load {

namespace {

constexpr std::size_t longestPiece = std::size_t{1} << 30;  // ISA-L counts in int

unsigned int addPiece(nio::ByteView piece, unsigned int state) {
    // It only reads, but does not say so.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<nio::Byte*>(piece.data()));
    return crc32_iscsi(data, static_cast<int>(piece.size()), state);
}

constexpr std::size_t numberBytes(StampForm form) {
    return stampBytes(form) / 4;
}

void writeBinary(std::uint32_t number, nio::Byte* to) {
    for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<nio::Byte>(number >> (24 - 8 * i));
}

void writeText(std::uint32_t number, nio::Byte* to) {
    constexpr const char* digits = "0123456789abcdef";
    for (unsigned i = 0; i < 8; ++i) {
        to[i] = static_cast<nio::Byte>(digits[number >> (28 - 4 * i) & 15]);
    }
}

void write(StampForm form, std::uint32_t number, std::span<nio::Byte> to) {
    form == StampForm::binary ? writeBinary(number, to.data()) : writeText(number, to.data());
}

std::uint32_t readBinary(const nio::Byte* from) {
    const auto byte = [from](unsigned i) { return static_cast<std::uint32_t>(from[i]); };
    return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

std::optional<std::uint32_t> readText(const nio::Byte* from) {
    std::uint32_t number = 0;
    for (unsigned i = 0; i < 8; ++i) {
        const auto digit = static_cast<char>(from[i]);
        const bool isDecimal = digit >= '0' && digit <= '9';
        if (!isDecimal && !(digit >= 'a' && digit <= 'f')) return std::nullopt;
        number = number << 4 | static_cast<std::uint32_t>(digit - (isDecimal ? '0' : 'a' - 10));
    }
    return number;
}

std::optional<Stamp> readTextStamp(const nio::Byte* from) {
    const auto connection = readText(from);
    const auto sequence = readText(from + 8);
    const auto length = readText(from + 16);
    const auto crc = readText(from + 24);
    if (!connection || !sequence || !length || !crc) return std::nullopt;
    return Stamp{*connection, *sequence, *length, *crc};
}

std::uint32_t crcOf(StampForm form, nio::ByteView message) {
    const std::uint32_t before = crc32c(message.first(3 * numberBytes(form)));
    const nio::ByteView body = message.subspan(stampBytes(form));
    return body.empty() ? before : crc32c(body, before);
}

}  // namespace

// Inverted before and after: ISA-L leaves that to its caller.
std::uint32_t crc32c(nio::ByteView bytes, std::uint32_t before) {
    unsigned int state = ~before;
    while (bytes.size() > longestPiece) {
        state = addPiece(bytes.first(longestPiece), state);
        bytes = bytes.subspan(longestPiece);
    }
    return ~addPiece(bytes, state);
}

void writeStamp(StampForm form, std::uint32_t connection, std::uint32_t sequence,
                std::span<nio::Byte> message) {
    const std::size_t step = numberBytes(form);
    write(form, connection, message);
    write(form, sequence, message.subspan(step));
    write(form, static_cast<std::uint32_t>(message.size()), message.subspan(2 * step));
    write(form, crcOf(form, message), message.subspan(3 * step));
}

std::optional<Stamp> readStamp(StampForm form, nio::ByteView bytes) {
    if (bytes.size() < stampBytes(form)) return std::nullopt;
    const nio::Byte* from = bytes.data();
    if (form == StampForm::text) return readTextStamp(from);
    return Stamp{readBinary(from), readBinary(from + 4), readBinary(from + 8),
                 readBinary(from + 12)};
}

bool isStampOf(StampForm form, const Stamp& stamp, nio::ByteView message) {
    return stamp.length == message.size() && stamp.crc == crcOf(form, message);
}

}  // namespace load
