// Mends a malformed PDU that can be understood all the same, so that what is passed on is well
// formed. The table of docs/smpp.md, "Tolerant reading", says what is mended.
//
// Thread: any; pure.
// Source: SMPP 3.4, 3.2.4 (TLVs) and 5.2 (fields).
#pragma once

#include <cstdint>
#include <optional>

#include <nio/base/Bytes.h>

namespace smpp {

enum class Missing : std::uint8_t { refused, mended };

struct Repaired {
    nio::Bytes pdu;
    // An end or a length was missing or wrong; what was there is kept where it can be.
    bool isCut = false;
};

// `pdu` is one that scan() finds malformed in a tolerant reading or reads only in part, or that has
// a TLV of tag 0, which may be padding. Nothing: it cannot be mended, or need not be.
//
// `missing`: what becomes of a request without its end. refused: for an ESME's, which can be told.
// mended: for an SMSC's, which does not keep what was refused; it is delivered as far as it is
// sound. Answers are mended in any case.
std::optional<Repaired> repaired(nio::ByteView pdu, Missing missing);

}  // namespace smpp
