// The alphabets of short messages, from UTF-8 and to it.
//
// Thread: any; pure.
// Source: RFC 3629 (UTF-8); 3GPP TS 23.038, 6.2.1 and 6.2.1.1 (GSM), 6.2.1.2.4 and A.2.1 to A.2.3
// (national single shift), 6.2.3 (UCS2); SMPP 3.4, 5.2.19 (data_coding).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

namespace smpp {

// gsm: the 7 bit default alphabet with its extension table, a septet in each octet. With a national
// single shift table, that one extends it: the languages Turkish, Spanish and Portuguese. The other
// ten tables are not here: they have digits and signs, but the letters of those languages are in
// locking shift tables.
// ucs2: the high octet first, with surrogate pairs (UTF-16), since phones send them.
// octets: binary, or an alphabet that is not here; it has no characters.
enum class Alphabet { gsm, gsmTurkish, gsmSpanish, gsmPortuguese, ascii, latin1, ucs2, octets };

// The number of the national language in element 0x24 of a user data header; 0: needs none.
std::uint8_t languageOf(Alphabet alphabet);

// A UTF-8 text in this alphabet.
// Errors: std::errc::illegal_byte_sequence: it is no UTF-8; std::errc::invalid_argument: the
// alphabet has not all its characters. The context names the first place: its octet, counted from
// 0, and its character.
nio::Result<nio::Bytes> encoded(std::string_view utf8, Alphabet alphabet);

// --- UTF-8, one character at a time

// Replaces input that is not a character.
constexpr char32_t replacementCharacter = 0xFFFD;

// A surrogate, or what is over U+10FFFF, becomes U+FFFD.
void appendUtf8(std::string& out, char32_t character);

// Takes the first character off `text`, which is not empty. An octet that begins no character (also
// an overlong one, or a surrogate) is taken alone and is U+FFFD.
char32_t takeUtf8(std::string_view& text);

// --- To UTF-8

// Each octet is the character of that number.
std::string fromLatin1(nio::ByteView octets);

// Half a surrogate pair, and an octet left over at the end, become U+FFFD.
std::string fromUcs2(nio::ByteView octets);

// An octet over 127, and an escape at the end, become U+FFFD; an unknown extension is the character
// of the main table, as the specification wants it. `language`: of the national single shift table,
// as in element 0x24; one that is not here reads as 0, the default extension table.
std::string fromGsm0338(nio::ByteView septets, std::uint8_t language = 0);

}  // namespace smpp
