// ISO 8859-1: each octet is the character of that number.
//
// Thread: any; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nio/base/Bytes.h>

namespace smpp {

// To UTF-8; every octet has a character.
std::string fromLatin1(nio::ByteView octets);

// Of UTF-8. Nothing: it has a character over U+00FF, or is no UTF-8.
std::optional<nio::Bytes> toLatin1(std::string_view utf8);

}  // namespace smpp
