#include "simulation/replay/Flight.h"

#include <algorithm>

#include "simulation/replay/FlightReader.h"

namespace simulation {

bool FlightEvent::isLike(const FlightEvent& other) const {
    return connection == other.connection && what == other.what && reason == other.reason &&
           in == other.in && out == other.out;
}

std::string FlightEvent::toString() const {
    std::string text = what;
    if (connection != nobody) text += " of connection " + std::to_string(connection);
    if (!reason.empty()) return text + ", " + reason;
    return text + ", in " + std::to_string(in) + " out " + std::to_string(out);
}

std::vector<FlightEvent> FlightTurn::all() const {
    std::vector<FlightEvent> all = tasks;
    all.insert(all.end(), events.begin(), events.end());
    return all;
}

namespace {

void markOneOfMany(std::vector<Flight>& flights) {
    const auto has = [](const Flight& flight) { return flight.connections > 0; };
    const bool many = std::count_if(flights.begin(), flights.end(), has) > 1;
    for (Flight& flight : flights) flight.isOneOfMany = many;
}

}  // namespace

std::vector<Flight> readFlights(std::istream& dump, const std::string& handler) {
    std::vector<Flight> flights;
    std::optional<FlightReader> reader;
    const auto finish = [&] {
        if (reader) flights.push_back(reader->finish());
        reader.reset();
    };
    bool begun = false;
    for (std::string line; std::getline(dump, line);) {
        if (line.starts_with("nio-flight end")) {
            finish();
            markOneOfMany(flights);
            return flights;
        }
        if (line.starts_with("nio-flight 1 ")) {
            begun = true;
        } else if (begun && line.starts_with("dispatcher ")) {
            finish();
            reader.emplace(line, handler);
        } else if (reader) {
            reader->add(line);
        }
    }
    throw std::runtime_error("not a whole dump: no line 'nio-flight end'");
}

}  // namespace simulation
