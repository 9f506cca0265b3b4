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

std::vector<std::vector<FlightEvent>> turnsOf(const Flight& flight) {
    std::vector<std::vector<FlightEvent>> turns;
    for (const FlightTurn& turn : flight.turns) turns.push_back(turn.all());
    std::erase_if(turns, [](const auto& events) { return events.empty(); });
    return turns;
}

std::string nameOf(const FlightEvent& event) {
    return "record " + std::to_string(event.record) + ", " + event.toString();
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

// Of a turn that is cut as much as was recorded.
std::string firstDifference(const Flight& recorded, const Flight& here) {
    const auto these = turnsOf(recorded);
    auto those = turnsOf(here);
    const bool both = these.size() == those.size() && !these.empty();
    if (recorded.isCut && both && those.back().size() > these.back().size())
        those.back().resize(these.back().size());
    for (std::size_t i = 0; i < std::max(these.size(), those.size()); ++i) {
        if (i == these.size()) return "after the last record: here " + at(those[i], 0);
        const std::string difference =
            unlike(these[i], i < those.size() ? those[i] : std::vector<FlightEvent>());
        if (!difference.empty()) return difference;
    }
    return {};
}

// The turns that can be played; why not the others.
std::string endBeforeWhatIsNotPlayed(Flight& flight) {
    for (std::size_t i = 0; i < flight.turns.size(); ++i) {
        const std::vector<FlightEvent> all = flight.turns[i].all();
        const auto event = std::find_if_not(all.begin(), all.end(), isPlayed);
        if (event == all.end()) continue;
        flight.turns.resize(i);
        flight.isCut = false;
        return nameOf(*event);
    }
    return {};
}

}  // namespace

Replayed replay(const Flight& whole) {
    Replayed replayed;
    Flight flight = whole;
    replayed.stopsAt = endBeforeWhatIsNotPlayed(flight);
    FlightWorld world(flight);
    for (std::size_t i = 0; i < flight.turns.size(); ++i) world.play(i);
    replayed.turns = flight.turns.size();
    for (const FlightTurn& turn : flight.turns) replayed.callbacks += turn.all().size();
    if (flight.isCut) replayed.endsIn = nameOf(flight.turns.back().all().back());
    replayed.difference = firstDifference(flight, world.fared());
    if (replayed.difference.empty()) replayed.difference = world.failure();
    return replayed;
}

}  // namespace simulation
