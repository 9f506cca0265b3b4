#include "sms_router/routing/Router.h"

#include <smpp/text/MessageText.h>

#include "sms_router/routing/RouteHash.h"
#include "sms_router/routing/RouteMatch.h"
#include "sms_router/routing/RouteStory.h"

namespace router {

namespace {

using Lines = std::vector<std::string>;

void tellRefusal(Lines* why, const std::string& reason, smpp::Status status) {
    if (why != nullptr) why->push_back(reason + ": refused with " + smpp::nameOf(status));
}

std::string partText(const smpp::Concatenation& part) {
    return "part " + std::to_string(part.part) + " of " + std::to_string(part.total) +
           " of a long message";
}

}  // namespace

Router::Router(SharedConfig config, const ConnectorBoard& board)
    : config_(std::move(config)), board_(&board), chooser_(*config_, board), numbers_(*config_) {}

RouteDecision Router::route(const MessageFacts& facts, Lines* why) {
    const MessageForms forms(facts, config_->numbers);
    for (const RouteConfig& route : config_->routes) {
        const auto failed = failing(route, facts, forms, clock_);
        if (!failed) return decide(route, facts, forms.destination.number(), why);
        if (why != nullptr)
            why->push_back(story::fails(route, *failed, facts, clock_.at(facts.time)));
    }
    tellRefusal(why, "no route matches", config_->router.noRoute);
    return {std::nullopt, config_->router.noRoute, nullptr, {}};
}

RouteDecision Router::decide(const RouteConfig& route, const MessageFacts& facts,
                             std::string_view number, Lines* why) {
    if (why != nullptr) why->push_back(story::matches(route));
    if (route.reject) {
        tellRefusal(why, "the route rejects", *route.reject);
        return {std::nullopt, *route.reject, &route, {}};
    }
    std::optional<std::size_t> connector;
    if (route.group)
        connector = chooseFrom(*route.group, facts, number, why);
    else if (route.connector && takes(*route.connector))
        connector = route.connector;
    if (connector) {
        if (why != nullptr && !isLive(*connector))
            why->push_back(story::awaited(*config_, *connector));
        return {connector, smpp::Status::ok, &route, reroutingOf(route, facts, number)};
    }
    tellRefusal(why, "no connector is live", config_->router.noConnector);
    return {std::nullopt, config_->router.noConnector, &route, {}};
}

Rerouting Router::reroutingOf(const RouteConfig& route, const MessageFacts& facts,
                              std::string_view number) const {
    if (!route.group) return {};
    const bool isPriced = config_->groups[*route.group].balance == Balance::cheapest;
    return {chooser_.keyOf(*route.group), facts.part ? longMessageHash(facts) : 0,
            std::string(isPriced ? number : std::string_view())};
}

std::optional<std::size_t> Router::another(const Rerouting& rerouting) {
    const auto group = rerouting.group == 0 ? std::nullopt : chooser_.groupOf(rerouting.group);
    if (!group) return std::nullopt;
    const bool isPart = rerouting.longMessage != 0;
    const auto choice = isPart
                            ? chooser_.forMessage(*group, rerouting.longMessage, rerouting.number)
                            : chooser_.next(*group, rerouting.number);
    if (!choice) return std::nullopt;
    if (!isPart) chooser_.moveOn(*group, *choice);
    return choice->connector;
}

std::optional<std::size_t> Router::overflow(const Rerouting& rerouting, std::size_t connector,
                                            nio::Clock::duration waited) {
    if (rerouting.group == 0 || rerouting.longMessage != 0) return std::nullopt;
    const auto group = chooser_.groupOf(rerouting.group);
    if (!group) return std::nullopt;
    const std::chrono::milliseconds after = config_->groups[*group].overflowAfter;
    if (after.count() == 0 || waited < after) return std::nullopt;
    const auto choice = chooser_.nextWithRoom(*group, rerouting.number);
    if (!choice || choice->connector == connector) return std::nullopt;
    chooser_.moveOn(*group, *choice);
    return choice->connector;
}

std::chrono::milliseconds Router::overflowAfter(std::size_t connector) const {
    std::chrono::milliseconds shortest{0};
    for (std::size_t group = 0; group < config_->groups.size(); ++group) {
        const std::chrono::milliseconds after = config_->groups[group].overflowAfter;
        if (after.count() == 0 || !chooser_.isMember(group, connector)) continue;
        shortest = shortest.count() == 0 ? after : std::min(shortest, after);
    }
    return shortest;
}

std::optional<std::size_t> Router::chooseFrom(std::size_t group, const MessageFacts& facts,
                                              std::string_view number, Lines* why) {
    if (why != nullptr) why->push_back(story::group(*config_, group, number, *board_));
    if (facts.part) return chooseForPart(group, facts, number, why);
    const auto choice = chooser_.next(group, number);
    if (!choice) return chooser_.awaitedOf(group);
    if (why != nullptr)
        why->push_back(story::chosen(*config_, group, choice->connector, number));
    else
        chooser_.moveOn(group, *choice);
    return choice->connector;
}

std::optional<std::size_t> Router::chooseForPart(std::size_t group, const MessageFacts& facts,
                                                 std::string_view number, Lines* why) {
    const std::uint64_t message = longMessageHash(facts);
    std::optional<std::size_t> connector = parts_.find(message, facts.time);
    const char* reason = ", like the earlier parts";
    if (!connector || !chooser_.isMember(group, *connector) || !takes(*connector)) {
        const auto choice = chooser_.forMessage(group, message, number);
        reason = choice ? ", by its hash" : "";
        connector = choice ? std::optional(choice->connector) : chooser_.awaitedOf(group);
        if (!connector) return std::nullopt;
    }
    if (why != nullptr)
        why->push_back("connector " + story::quoted(config_->connectors[*connector].name) + ": " +
                       partText(*facts.part) + reason);
    else
        parts_.put(message, *connector, facts.time);
    return connector;
}

std::optional<std::size_t> Router::routeMo(std::size_t connector, std::string_view source,
                                           std::string_view destination, Lines* why) const {
    const AddressForms to(destination, config_->numbers);
    if (const auto owner = numbers_.find(to)) {
        if (why != nullptr)
            why->push_back("account " + story::quoted(config_->accounts[owner->account].systemId) +
                           ": its number " + smpp::escaped(owner->number->text()));
        return owner->account;
    }
    if (why != nullptr)
        why->push_back(story::quoted(destination) + " is not a number of any account");
    const AddressForms from(source, config_->numbers);
    for (const MoRouteConfig& route : config_->moRoutes) {
        const auto failed = failing(route, connector, from, to);
        if (why != nullptr)
            why->push_back(
                failed ? story::fails(route, *failed, *config_, connector, source, destination)
                       : story::matches(route));
        if (!failed) return route.account;
    }
    return std::nullopt;
}

void Router::use(SharedConfig config) {
    use(std::move(config), *board_);
}

void Router::use(SharedConfig config, const ConnectorBoard& board) {
    std::vector<std::optional<std::size_t>> newNumbers;
    for (const ConnectorConfig& connector : config_->connectors) {
        const auto found = config->connectorByName.find(connector.name);
        newNumbers.push_back(found == config->connectorByName.end()
                                 ? std::nullopt
                                 : std::optional<std::size_t>(found->second));
    }
    parts_.renumber(newNumbers);
    chooser_ = GroupChooser(*config, board);
    numbers_ = NumberIndex(*config);
    board_ = &board;
    config_ = std::move(config);
}

bool Router::isLive(std::size_t connector) const {
    return chooser_.isLive(connector);
}

bool Router::takes(std::size_t connector) const {
    return isLive(connector) || chooser_.takesMessages(connector);
}

}  // namespace router
