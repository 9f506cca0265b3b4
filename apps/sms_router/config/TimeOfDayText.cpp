#include "sms_router/config/RouteReader.h"

#include <algorithm>
#include <array>

namespace router {

namespace {

constexpr std::array<std::string_view, 7> dayNames{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
constexpr std::chrono::hours wholeDay(24);

// Two digits.
std::optional<int> parseTwo(std::string_view text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.size() != 2 || !digit(text[0]) || !digit(text[1])) return std::nullopt;
    return (text[0] - '0') * 10 + (text[1] - '0');
}

std::optional<std::chrono::minutes> parseTime(std::string_view text) {
    if (text.size() != 5 || text[2] != ':') return std::nullopt;
    const auto hour = parseTwo(text.substr(0, 2));
    const auto minute = parseTwo(text.substr(3));
    if (!hour || !minute || *minute > 59) return std::nullopt;
    const std::chrono::minutes time(*hour * 60 + *minute);
    return time <= wholeDay ? std::optional(time) : std::nullopt;
}

std::optional<std::size_t> parseDay(std::string_view text) {
    const auto* found = std::find(dayNames.begin(), dayNames.end(), text);
    if (found == dayNames.end()) return std::nullopt;
    return static_cast<std::size_t>(found - dayNames.begin());
}

}  // namespace

std::optional<TimeOfDay> parseTimes(std::string_view text) {
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto from = parseTime(text.substr(0, dash));
    const auto to = parseTime(text.substr(dash + 1));
    if (!from || !to || *from == *to || *from == wholeDay) return std::nullopt;
    TimeOfDay times;
    times.from = *from;
    times.to = *to;
    return times;
}

std::optional<std::uint8_t> parseDays(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = parseDay(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parseDay(text.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    unsigned days = 0;
    for (std::size_t i = *first;; i = (i + 1) % dayNames.size()) {
        days |= 1U << i;
        if (i == *last) return static_cast<std::uint8_t>(days);
    }
}

}  // namespace router
