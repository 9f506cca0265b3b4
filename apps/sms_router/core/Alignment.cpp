#include "sms_router/core/Alignment.h"

namespace router {

namespace {

// Where each connector of `next` goes.
std::vector<std::size_t> placesOf(const RouterConfig& next, const RouterConfig& running) {
    std::vector<std::size_t> places;
    std::size_t free = running.connectors.size();
    for (const ConnectorConfig& connector : next.connectors) {
        std::size_t place = 0;
        while (place < running.connectors.size() &&
               running.connectors[place].name != connector.name) {
            ++place;
        }
        places.push_back(place < running.connectors.size() ? place : free++);
    }
    return places;
}

void move(std::optional<std::size_t>& index, const std::vector<std::size_t>& places) {
    if (index) index = places[*index];
}

}  // namespace

std::shared_ptr<const RouterConfig> aligned(const RouterConfig& next, const RouterConfig& running) {
    auto moved = std::make_shared<RouterConfig>(next);
    const std::vector<std::size_t> places = placesOf(next, running);
    moved->connectors.assign(running.connectors.size(), ConnectorConfig{});
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= moved->connectors.size()) moved->connectors.resize(places[i] + 1);
        moved->connectors[places[i]] = next.connectors[i];
        moved->connectorByName[next.connectors[i].name] = places[i];
    }
    for (GroupConfig& group : moved->groups) {
        for (auto& tier : group.tiers) {
            for (std::size_t& member : tier) member = places[member];
        }
    }
    for (RouteConfig& route : moved->routes) move(route.connector, places);
    for (MoRouteConfig& route : moved->moRoutes) {
        for (std::size_t& connector : route.connectors) connector = places[connector];
    }
    return moved;
}

}  // namespace router
