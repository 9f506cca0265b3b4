// What a Router did, in words, a line each. Addresses are escaped: a line is always UTF-8.
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/routing/RouteMatch.h"

namespace router::story {

std::string matches(const RouteConfig& route);
std::string matches(const MoRouteConfig& route);
std::string fails(const RouteConfig& route, Condition condition, const MessageFacts& facts,
                  const LocalMinute& now);
std::string fails(const MoRouteConfig& route, Condition condition, const RouterConfig& config,
                  std::size_t connector, std::string_view source, std::string_view destination);

// The group's tiers up to the one that has somebody live, with what the balance looks at.
std::string group(const RouterConfig& config, std::size_t group, std::string_view destination,
                  const ConnectorBoard& board);
// Why it was this one.
std::string chosen(const RouterConfig& config, std::size_t group, std::size_t connector,
                   std::string_view destination);
// Not live, but it takes messages.
std::string awaited(const RouterConfig& config, std::size_t connector);

// "none", or the patterns one after the other.
std::string list(const std::vector<AddressPattern>& patterns);
std::string quoted(std::string_view text);

}  // namespace router::story
