// "Sun, 06 Nov 1994 08:49:37 GMT": a time as a header has it.
//
// Thread: any. Lifetime: that of the text until its thread asks for another second.
// Source: RFC 9110, 5.6.7 (IMF-fixdate).
#pragma once

#include <chrono>
#include <string_view>

namespace apps {

std::string_view httpDate(std::chrono::system_clock::time_point time);

}  // namespace apps
