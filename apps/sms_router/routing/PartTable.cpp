#include "sms_router/routing/PartTable.h"

namespace router {

namespace {

std::int64_t secondsOf(PartTable::Time time) {
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace

std::optional<std::size_t> PartTable::find(std::uint64_t message, Time now) const {
    const std::size_t first = firstPlace(message);
    for (std::size_t place = first; place < first + ways; ++place) {
        const Entry& entry = entries_[place];
        if (entry.connector == nobody || entry.message != message) continue;
        if (secondsOf(now) - entry.time > keptFor.count()) return std::nullopt;
        return entry.connector;
    }
    return std::nullopt;
}

void PartTable::put(std::uint64_t message, std::size_t connector, Time now) {
    const std::size_t first = firstPlace(message);
    Entry* chosen = &entries_[first];
    for (std::size_t place = first; place < first + ways; ++place) {
        Entry& entry = entries_[place];
        if (entry.connector != nobody && entry.message == message) {
            chosen = &entry;
            break;
        }
        if (isBetterToLose(entry, *chosen)) chosen = &entry;
    }
    *chosen = {message, secondsOf(now), static_cast<std::uint32_t>(connector)};
}

void PartTable::renumber(std::span<const std::optional<std::size_t>> newNumbers) {
    for (Entry& entry : entries_) {
        if (entry.connector == nobody) continue;
        const auto number = newNumbers[entry.connector];
        entry.connector = number ? static_cast<std::uint32_t>(*number) : nobody;
    }
}

bool PartTable::isBetterToLose(const Entry& one, const Entry& other) {
    if (other.connector == nobody) return false;
    return one.connector == nobody || one.time < other.time;
}

}  // namespace router
