// Text as JSON wants it.
//
// Thread: any.
#pragma once

#include <string>
#include <string_view>

namespace router {

// In quotes. Bytes that are no UTF-8 become U+FFFD.
void appendJsonText(std::string& out, std::string_view text);

}  // namespace router
