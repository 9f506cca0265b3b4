#include "simulation/replay/FlightReplay.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "simulation/replay/FlightWorld.h"

namespace simulation {

namespace {

bool isPlayed(const FlightEvent& event) {
    constexpr std::array<std::string_view, 7> known{
        "handleAccept", "handleRegistered", "handleRead", "handleWrite",
        "handleFlush",  "handleRevisit",    "ended"};
    if (event.what == "ended" && event.reason != "finished") return event.reason == "reset";
    return std::find(known.begin(), known.end(), event.what) != known.end();
}

std::vector<FlightEvent> allOf(const FlightTurn& turn) {
    std::vector<FlightEvent> all = turn.tasks;
    all.insert(all.end(), turn.events.begin(), turn.events.end());
    return all;
}

std::vector<std::vector<FlightEvent>> turnsOf(const Flight& flight) {
    std::vector<std::vector<FlightEvent>> turns;
    for (const FlightTurn& turn : flight.turns) turns.push_back(allOf(turn));
    std::erase_if(turns, [](const auto& events) { return events.empty(); });
    return turns;
}

std::string at(const std::vector<FlightEvent>& turn, std::size_t index) {
    return index < turn.size() ? turn[index].toString() : "nothing";
}

std::string unlike(const std::vector<FlightEvent>& recorded, const std::vector<FlightEvent>& here) {
    for (std::size_t i = 0; i < std::max(recorded.size(), here.size()); ++i) {
        const bool same = i < recorded.size() && i < here.size() && recorded[i].isLike(here[i]);
        if (same) continue;
        const std::uint64_t record =
            recorded.empty() ? 0 : recorded[std::min(i, recorded.size() - 1)].record;
        return "record " + std::to_string(record) + ": recorded " + at(recorded, i) + "; here " +
               at(here, i);
    }
    return {};
}

std::string firstDifference(const Flight& recorded, const Flight& here) {
    const auto these = turnsOf(recorded);
    const auto those = turnsOf(here);
    for (std::size_t i = 0; i < std::max(these.size(), those.size()); ++i) {
        const bool both = i < these.size() && i < those.size();
        if (!both) {
            const bool more = i < those.size();
            return more ? "after the last record: here " + at(those[i], 0) : unlike(these[i], {});
        }
        const std::string difference = unlike(these[i], those[i]);
        if (!difference.empty()) return difference;
    }
    return {};
}

}  // namespace

Replayed replay(const Flight& whole) {
    Replayed replayed;
    Flight flight = whole;
    for (std::size_t i = 0; i < flight.turns.size() && replayed.stopsAt.empty(); ++i) {
        for (const FlightEvent& event : allOf(flight.turns[i])) {
            if (isPlayed(event)) continue;
            replayed.stopsAt = "record " + std::to_string(event.record) + ", " + event.toString();
            flight.turns.resize(i);
            break;
        }
    }
    FlightWorld world(flight);
    for (std::size_t i = 0; i < flight.turns.size(); ++i) world.play(i);
    replayed.turns = flight.turns.size();
    for (const FlightTurn& turn : flight.turns) replayed.callbacks += allOf(turn).size();
    replayed.difference = firstDifference(flight, world.fared());
    if (replayed.difference.empty()) replayed.difference = world.failure();
    return replayed;
}

}  // namespace simulation
