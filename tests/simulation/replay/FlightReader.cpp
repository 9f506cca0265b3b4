#include "simulation/replay/FlightReader.h"

#include <algorithm>
#include <sstream>

namespace simulation {

// "17 1033 handleRead again slot 3 fd 9 handler T in 64 out 64".
struct FlightReader::Line {
    explicit Line(const std::string& text) {
        std::istringstream words(text);
        if (!(words >> record >> time >> what)) {
            throw std::runtime_error("not a line of a flight: " + text);
        }
        std::string name;
        while (words >> name) {
            if (name == "again") {
                again = true;
            } else if (!(words >> values[name])) {
                throw std::runtime_error("'" + name + "' has no value: " + text);
            }
        }
    }

    std::string value(const std::string& name) const {
        const auto found = values.find(name);
        return found == values.end() ? "" : found->second;
    }
    std::uint64_t number(const std::string& name) const {
        const std::string digits = value(name);
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
            throw std::runtime_error("record " + std::to_string(record) + " has no " + name);
        }
        return std::stoull(digits);
    }

    std::uint64_t record = 0;
    std::int64_t time = 0;
    std::string what{};
    bool again = false;
    std::map<std::string, std::string> values{};
};

FlightReader::FlightReader(const std::string& header, const std::string& handler)
    : handler_(handler), works_(header.find(" works tasks ") != std::string::npos) {
    std::istringstream words(header);
    words >> flight_.dispatcher >> flight_.dispatcher;
    flight_.handler = handler_;
}

void FlightReader::add(const std::string& text) {
    const Line line(text);
    const bool beforeSelect = line.what == "tasks" || line.what == "expire";
    if (line.what == "turn") {
        if (!line.again) beginTurn(line, true);
    } else if (beforeSelect && !line.again) {
        beginTurn(line, false);
    } else if (line.what == "ended") {
        ended(line);
    } else if (!line.value("handler").empty()) {
        callback(line);
    }
}

void FlightReader::beginTurn(const Line& line, bool selects) {
    if (selected_) {
        flight_.turns.emplace_back();
        flight_.turns.back().time = std::chrono::nanoseconds(line.time);
    }
    selected_ = selects;
    if (selects) flight_.turns.back().number = line.number("number");
}

void FlightReader::callback(const Line& line) {
    const bool accepts = line.what == "handleAccept";
    if (accepts && !line.again) return add({FlightEvent::nobody, line.what, {}, 0, 0, line.record});
    const std::string handler = line.value("handler");
    if (handler.find("8Pipeline") != std::string::npos) flight_.hasPackets = true;
    const bool isOurs = handler.find(handler_) != std::string::npos;
    if (!isOurs || line.what == "handleClosed") return;
    if (line.again) return goOn(line);
    const std::size_t connection =
        connectionAt(line.value("slot"), line.what == "handleRegistered");
    add({connection, line.what, {}, line.number("in"), line.number("out"), line.record});
}

// What it moved after something inside of it belongs to it, too.
void FlightReader::goOn(const Line& line) {
    if (flight_.turns.empty()) return;
    FlightTurn& turn = flight_.turns.back();
    auto& events = selected_ ? turn.events : turn.tasks;
    const auto isIt = [&](const FlightEvent& event) { return event.what == line.what; };
    const auto found = std::find_if(events.rbegin(), events.rend(), isIt);
    if (found == events.rend()) return;
    found->in += line.number("in");
    found->out += line.number("out");
}

void FlightReader::ended(const Line& line) {
    const auto found = open_.find(line.value("slot"));
    if (found == open_.end()) return;
    add({found->second, "ended", line.value("reason"), 0, 0, line.record});
    open_.erase(found);
}

std::size_t FlightReader::connectionAt(const std::string& slot, bool isNew) {
    if (isNew) open_.erase(slot);
    const auto [place, added] = open_.emplace(slot, isNew_.size());
    if (added) isNew_.push_back(isNew);
    return place->second;
}

void FlightReader::add(FlightEvent event) {
    if (flight_.turns.empty()) return;
    FlightTurn& turn = flight_.turns.back();
    (selected_ ? turn.events : turn.tasks).push_back(std::move(event));
}

template <class Change>
void FlightReader::forEach(Change change) {
    for (FlightTurn& turn : flight_.turns) {
        for (FlightEvent& event : turn.tasks) change(event);
        for (FlightEvent& event : turn.events) change(event);
    }
}

Flight FlightReader::finish() {
    leaveOutWhoOwed();
    endInside();
    renumber();
    return std::move(flight_);
}

void FlightReader::endInside() {
    flight_.isCut = (works_ || !selected_) && !flight_.turns.empty();
    if (!flight_.isCut || !flight_.turns.back().all().empty()) return;
    flight_.turns.pop_back();
    flight_.isCut = false;
}

// An echo sends no more than came, but for what came earlier.
void FlightReader::leaveOutWhoOwed() {
    std::vector<std::int64_t> owes(isNew_.size(), 0);
    std::vector<bool> owed(isNew_.size(), false);
    forEach([&](const FlightEvent& event) {
        if (event.connection == FlightEvent::nobody) return;
        std::int64_t& its = owes[event.connection];
        its += static_cast<std::int64_t>(event.in) - static_cast<std::int64_t>(event.out);
        if (its < 0 && !isNew_[event.connection]) owed[event.connection] = true;
    });
    const auto isLeftOut = [&](const FlightEvent& event) {
        return event.connection != FlightEvent::nobody && owed[event.connection];
    };
    for (FlightTurn& turn : flight_.turns) {
        std::erase_if(turn.tasks, isLeftOut);
        std::erase_if(turn.events, isLeftOut);
    }
    flight_.leftOut = static_cast<std::size_t>(std::count(owed.begin(), owed.end(), true));
}

void FlightReader::renumber() {
    std::map<std::size_t, std::size_t> numbers;
    for (const bool takesNew : {false, true}) {
        forEach([&](const FlightEvent& event) {
            if (event.connection == FlightEvent::nobody) return;
            const bool isMeant = isNew_[event.connection] == takesNew;
            if (isMeant) numbers.emplace(event.connection, numbers.size());
        });
        if (!takesNew) flight_.before = numbers.size();
    }
    flight_.connections = numbers.size();
    forEach([&](FlightEvent& event) {
        if (event.connection != FlightEvent::nobody) event.connection = numbers[event.connection];
    });
}

}  // namespace simulation
