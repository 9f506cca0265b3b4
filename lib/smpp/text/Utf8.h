// UTF-8, one character at a time.
//
// Thread: any; pure.
// Source: RFC 3629.
#pragma once

#include <string>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

// What stands for input that is no character.
constexpr char32_t replacementCharacter = 0xFFFD;

// A surrogate, or what is over U+10FFFF, becomes U+FFFD.
void appendUtf8(std::string& out, char32_t character);

// Takes the first character off `text`, which is not empty. An octet that begins no character (also
// an overlong one, or a surrogate) is taken alone and is U+FFFD.
char32_t takeUtf8(std::string_view& text);

}  // namespace smpp
