// Times of day and days of the week, as a route writes them.
//
// Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sms_router/config/RouterConfig.h"

namespace router {

// "08:00-20:00", or "22:00-06:00" over midnight; "24:00" may be its end. All days.
std::optional<TimeOfDay> parseTimes(std::string_view text);
// "mon", or "mon-fri", "sat-mon"; bit 0 is Monday.
std::optional<std::uint8_t> parseDays(std::string_view text);

}  // namespace router
