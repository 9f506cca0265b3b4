// UCS2, the high octet first; surrogate pairs are understood (UTF-16), since phones send them.
//
// Thread: any; pure.
// Source: 3GPP TS 23.038, 6.2.3.
#pragma once

#include <string>
#include <string_view>

#include <nio/base/Bytes.h>

namespace smpp {

// To UTF-8. Half a surrogate pair, and an octet left over at the end, become U+FFFD.
std::string fromUcs2(nio::ByteView octets);

// Of UTF-8. What is no UTF-8 becomes U+FFFD.
nio::Bytes toUcs2(std::string_view utf8);

}  // namespace smpp
