// What a stamped message begins with: four numbers of 32 bits, the highest byte first.
//
//     connection  sequence  length  CRC
//
// The sequence counts the connection's messages from 0, modulo 2^32. The length is that of the
// whole message. The CRC-32C is that of the whole message but for the CRC itself. Where a framing
// wants text, each number is eight lower-case hexadecimal digits (and the CRC is that of the
// digits).
//
// Thread: any; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <nio/base/Bytes.h>

namespace load {

enum class StampForm { binary, text };

struct Stamp {
    std::uint32_t connection;
    std::uint32_t sequence;
    std::uint32_t length;
    std::uint32_t crc;

    bool operator==(const Stamp&) const = default;
};

constexpr std::size_t stampBytes(StampForm form) {
    return form == StampForm::binary ? 16 : 32;
}

// CRC-32C, the checksum of iSCSI and SCTP (RFC 3720, B.4), computed with ISA-L; of `bytes` behind
// those that `before` is the CRC of.
std::uint32_t crc32c(nio::ByteView bytes, std::uint32_t before = 0);

// Over the beginning of `message`, which is long enough and has its body already.
void writeStamp(StampForm form, std::uint32_t connection, std::uint32_t sequence,
                std::span<nio::Byte> message);
// nullopt: too short, or not such digits.
std::optional<Stamp> readStamp(StampForm form, nio::ByteView bytes);
// Is `stamp`, with which `message` begins, that of exactly these bytes?
bool isStampOf(StampForm form, const Stamp& stamp, nio::ByteView message);

// Which message has a sequence of which `low` are the lowest 32 bits, if `next` is the first that
// was not sent yet; nullopt: none of the last 2^31.
constexpr std::optional<std::uint64_t> sentSequence(std::uint32_t low, std::uint64_t next) {
    const std::uint32_t back = static_cast<std::uint32_t>(next) - low;
    if (back == 0 || back > next || back > std::uint32_t{1} << 31) return std::nullopt;
    return next - back;
}

}  // namespace load
