// [[route]] and [[mo]], whose names must exist by then.
//
// Thread: one at a time.
// Lifetime: the configuration must outlive it.
#pragma once

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

}  // namespace router
