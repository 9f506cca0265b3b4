// Text of another machine, or of a user, made harmless for a terminal, where an escape sequence
// could rewrite the screen, and for what must be UTF-8: a path may hold any bytes.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>

namespace apps {

// Each byte that belongs to no character of UTF-8 becomes U+FFFD.
std::string validUtf8(std::string_view text);
// The same, and each control character becomes '?', but for those that `kept` names.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace apps
