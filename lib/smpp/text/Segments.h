// A text as the short messages that carry it: in the GSM alphabet if that has all its characters,
// otherwise in UCS2. A text too long for one message is split into parts, each with a user data
// header that says which part of which message it is.
//
// Thread: any; pure.
// Source: 3GPP TS 23.038, 6.2.1 and 6.2.3; 3GPP TS 23.040, 9.2.3.24.1 (8-bit reference).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nio/base/Bytes.h>

namespace smpp {

struct Segments {
    std::uint8_t dataCoding = 0;    // 0: GSM, 8: UCS2
    std::vector<nio::Bytes> parts;  // one short_message each; at least one

    // Each part begins with a user data header: esm_class needs its UDHI bit.
    bool haveHeader() const { return parts.size() > 1; }
};

// A message holds 160 septets or 70 UCS2 units, a part of several 153 or 67. An escape sequence or
// a surrogate pair is never divided between parts. `reference` is the same in all parts of a
// message, and another one in the next message from the same sender to the same receiver.
// Errors: nothing, if the text is no UTF-8, or needs more than 255 parts.
std::optional<Segments> segmentsOf(std::string_view utf8, std::uint8_t reference);

}  // namespace smpp
