// Text of another machine, made harmless for a terminal: an escape sequence could rewrite the
// screen.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>

namespace apps {

// Of UTF-8: each control character becomes '?', but for those that `kept` names.
std::string printable(std::string_view text, std::string_view kept = "");

}  // namespace apps
