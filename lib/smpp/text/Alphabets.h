// The alphabets of short messages, from UTF-8 and to it.
//
// Thread: any; pure.
// Source: RFC 3629 (UTF-8); 3GPP TS 23.038, 6.2.1 and 6.2.1.1 (GSM), 6.2.3 (UCS2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nio/base/Bytes.h>

namespace smpp {

// --- UTF-8, one character at a time

// Replaces input that is not a character.
constexpr char32_t replacementCharacter = 0xFFFD;

// A surrogate, or what is over U+10FFFF, becomes U+FFFD.
void appendUtf8(std::string& out, char32_t character);

// Takes the first character off `text`, which is not empty. An octet that begins no character (also
// an overlong one, or a surrogate) is taken alone and is U+FFFD.
char32_t takeUtf8(std::string_view& text);

// --- ISO 8859-1: each octet is the character of that number

// To UTF-8; every octet has a character.
std::string fromLatin1(nio::ByteView octets);

// Of UTF-8. Nothing: it has a character over U+00FF, or is no UTF-8.
std::optional<nio::Bytes> toLatin1(std::string_view utf8);

// --- UCS2, the high octet first; surrogate pairs are understood (UTF-16), since phones send them

// To UTF-8. Half a surrogate pair, and an octet left over at the end, become U+FFFD.
std::string fromUcs2(nio::ByteView octets);

// Of UTF-8. What is no UTF-8 becomes U+FFFD.
nio::Bytes toUcs2(std::string_view utf8);

// --- the GSM 7 bit default alphabet with its extension table: a septet in each octet

// To UTF-8. An octet over 127, and an escape at the end, become U+FFFD; an unknown extension is the
// character of the main table, as the specification wants it.
std::string fromGsm0338(nio::ByteView septets);

// Of UTF-8. Nothing: it has a character that the alphabet has not, or is no UTF-8.
std::optional<nio::Bytes> toGsm0338(std::string_view utf8);

}  // namespace smpp
