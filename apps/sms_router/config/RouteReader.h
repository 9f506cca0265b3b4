// [[route]] and [[mo]], whose names must exist by then.
//
// Thread: one at a time.
// Lifetime: the configuration must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sms_router/config/ConfigValues.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

class RouteReader {
  public:
    // `config` has its accounts, connectors and groups.
    explicit RouteReader(const RouterConfig& config);

    // `number`: counted from 1; the name of a route that has none.
    RouteConfig readRoute(TomlTable& table, std::size_t number) const;
    MoRouteConfig readMo(TomlTable& table, std::size_t number) const;

  private:
    void readTarget(TomlTable& table, RouteConfig& route) const;
    std::vector<std::string> readAccounts(TomlTable& table) const;

    const RouterConfig& config_;
    Indices groups_;
};

// Times of day and days of the week, as a route writes them. Thread: any.
//
// "08:00-20:00", or "22:00-06:00" over midnight; "24:00" may be its end. All days.
std::optional<TimeOfDay> parseTimes(std::string_view text);
// "mon", or "mon-fri", "sat-mon"; bit 0 is Monday.
std::optional<std::uint8_t> parseDays(std::string_view text);

}  // namespace router
