// Whether a rule is for a message.
//
// Thread: one at a time.
#pragma once

#include <optional>

#include "sms_router/routing/Router.h"

namespace router {

// What a rule looks at, in the order in which it does.
enum class Condition { connector, destination, source, account, serviceType, dataCoding, time };

// The first condition that fails; nothing: the rule matches.
std::optional<Condition> failing(const RouteConfig& route, const MessageFacts& facts,
                                 LocalClock& clock);
std::optional<Condition> failing(const MoRouteConfig& route, std::size_t connector,
                                 std::string_view source, std::string_view destination);

// Whether one of them matches, or there is none.
bool permits(const std::vector<AddressPattern>& patterns, std::string_view address);

}  // namespace router
