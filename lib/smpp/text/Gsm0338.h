// The GSM 7 bit default alphabet with its extension table, unpacked: a septet in each octet, as
// SMPP carries it.
//
// Thread: any; pure.
// Source: 3GPP TS 23.038, 6.2.1 and 6.2.1.1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nio/base/Bytes.h>

namespace smpp {

// To UTF-8. An octet over 127, and an escape at the end, become U+FFFD; an unknown extension is the
// character of the main table, as the specification wants it.
std::string fromGsm0338(nio::ByteView septets);

// Of UTF-8. Nothing: it has a character that the alphabet has not, or is no UTF-8.
std::optional<nio::Bytes> toGsm0338(std::string_view utf8);

}  // namespace smpp
