#include "sms_router/config/TomlTable.h"

#include <cmath>
#include <sstream>

#include "common/Quantity.h"

namespace router {

namespace {

constexpr std::chrono::seconds century = std::chrono::days(36'500);

nio::Error refuse(const toml::node& node, const std::string& why) {
    return {std::errc::invalid_argument, quoted(node) + " is not a " + why};
}

nio::Result<std::chrono::nanoseconds> timeOf(const toml::node& node) {
    if (const auto* text = node.as_string()) return apps::parseDuration(text->get());
    const auto number = numberOf(node);
    if (!number) return number.error();
    const std::chrono::duration<double> seconds(number.value());
    if (!(seconds.count() >= 0) || seconds > century) return std::errc::invalid_argument;
    return apps::nanosecondsOf(seconds.count());
}

}  // namespace

int lineOf(const toml::node& node) {
    return static_cast<int>(node.source().begin.line);
}

std::string quoted(const toml::node& node) {
    constexpr std::size_t longest = 60;
    std::ostringstream stream;
    node.visit([&](const auto& value) { stream << value; });
    std::string text = stream.str();
    for (char& c : text) c = c >= 0 && c < ' ' ? ' ' : c;
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string kindOf(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return "a table";
        case toml::node_type::array: return "an array";
        case toml::node_type::string: return "a string";
        case toml::node_type::integer: return "an integer";
        case toml::node_type::floating_point: return "a number";
        case toml::node_type::boolean: return "true or false";
        default: return "a date or a time";
    }
}

nio::Result<std::uint64_t> wholeOf(const toml::node& node) {
    if (const auto* text = node.as_string()) {
        const auto count = apps::parseCount(text->get());
        if (count) return count;
    }
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0) return refuse(node, "whole number");
    return static_cast<std::uint64_t>(*value);
}

nio::Result<double> numberOf(const toml::node& node) {
    if (const auto* text = node.as_string()) {
        const auto number = apps::parseNumber(text->get());
        if (number) return number;
    }
    if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
    const auto value = node.value_exact<double>();
    if (!value || !std::isfinite(*value)) return refuse(node, "number");
    return *value;
}

nio::Result<std::chrono::nanoseconds> durationOf(const toml::node& node) {
    const auto time = timeOf(node);
    if (!time) return refuse(node, "time up to 100 years, such as \"500ms\", \"10s\" or \"7d\"");
    return time;
}

}  // namespace router
