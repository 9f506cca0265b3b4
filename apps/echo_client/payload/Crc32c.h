// CRC-32C, the checksum of iSCSI and SCTP (RFC 3720, B.4), as fast as the processor can (ISA-L).
//
// Thread: any; pure.
#pragma once

#include <cstdint>

#include <nio/base/Bytes.h>

namespace load {

// Of what `before` is the CRC of, and then `bytes`.
std::uint32_t crc32c(nio::ByteView bytes, std::uint32_t before = 0);

}  // namespace load
