// Whether a rule is for a message.
//
// Thread: one at a time.
#pragma once

#include <optional>

#include "sms_router/routing/AddressForms.h"
#include "sms_router/routing/Router.h"

namespace router {

// What a rule looks at, in the order in which it does.
enum class Condition { connector, destination, source, account, serviceType, dataCoding, time };

// Both addresses of a message.
struct MessageForms {
    MessageForms(const MessageFacts& facts, const NumberingPlan& plan)
        : source(facts.source, plan), destination(facts.destination, plan, facts.destinationTon) {}

    AddressForms source;
    AddressForms destination;
};

// The first condition that fails; nothing: the rule matches.
std::optional<Condition> failing(const RouteConfig& route, const MessageFacts& facts,
                                 const MessageForms& forms, LocalClock& clock);
std::optional<Condition> failing(const MoRouteConfig& route, std::size_t connector,
                                 const AddressForms& source, const AddressForms& destination);

// Whether one of them matches, or there is none.
bool permits(const std::vector<AddressPattern>& patterns, const AddressForms& address,
             AddressForms::Choice choice = AddressForms::Choice::usual);
// Whether the account may send to distribution lists, whose members the router does not know.
bool permitsLists(const AccountConfig& account, const RouterConfig& config);

}  // namespace router
