#include "sms_router/config/ConfigDocument.h"

#include <charconv>
#include <vector>

namespace router {

namespace {

using Path = std::vector<std::string>;

std::optional<toml::table> parsed(const std::string& toml) {
    try {
        return toml::parse(toml);
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

// TOML itself splits the path, quotes and all: each table within has one key.
Path pathOf(const std::string& key) {
    if (key.find_first_of("\r\n#=") != std::string::npos) return {};
    const auto document = parsed(key + " = 0");
    if (!document) return {};
    Path path;
    for (const toml::table* table = &*document; table != nullptr;) {
        const auto first = table->begin();
        path.emplace_back(first->first.str());
        table = first->second.as_table();
    }
    return path;
}

// Copies have line 0. Nothing: neither a TOML value nor a bare word.
std::optional<toml::table> valueOf(const std::string& text) {
    constexpr std::string_view openings = "[{\"'";
    auto document = parsed("value = " + text);
    if (document && document->size() == 1) return document;
    const bool isBare = text.find_first_of("\r\n") == std::string::npos &&
                        (text.empty() || openings.find(text[0]) == std::string_view::npos);
    if (!isBare) return std::nullopt;
    return toml::table{{"value", text}};
}

toml::node* elementOf(toml::array& array, const std::string& index) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
    const bool whole = error == std::errc() && end == index.data() + index.size();
    return whole ? array.get(number) : nullptr;
}

// The table or element that `name` is in; a table that is missing is made. Null: there is no way.
toml::node* stepInto(toml::node& node, const std::string& name) {
    if (auto* array = node.as_array()) return elementOf(*array, name);
    auto* table = node.as_table();
    if (table == nullptr) return nullptr;
    return &table->insert(name, toml::table{}).first->second;
}

bool assign(toml::node& node, const std::string& name, const toml::node& value) {
    if (auto* table = node.as_table()) {
        table->insert_or_assign(name, value);
        return true;
    }
    auto* array = node.as_array();
    const toml::node* element = array == nullptr ? nullptr : elementOf(*array, name);
    if (element == nullptr) return false;
    for (auto at = array->begin(); at != array->end(); ++at) {
        if (&*at != element) continue;
        array->replace(at, value);
        break;
    }
    return true;
}

std::string apply(toml::table& document, const std::string& setting) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const Path path = equals == std::string::npos ? Path() : pathOf(key);
    if (path.empty()) return "is not KEY=VALUE, such as listener.esme.port=2775";
    const auto value = valueOf(setting.substr(equals + 1));
    if (!value) return "has no TOML value";
    toml::node* node = &document;
    for (std::size_t i = 0; node != nullptr && i + 1 < path.size(); ++i) {
        node = stepInto(*node, path[i]);
    }
    if (node == nullptr || !assign(*node, path.back(), *value->get("value"))) {
        return "unknown path: there is no '" + key + "'";
    }
    return {};
}

}  // namespace

std::optional<toml::table> readDocument(const std::string& toml, const Settings& settings,
                                        Findings& findings) {
    try {
        toml::table document = toml::parse(toml);
        for (const std::string& setting : settings) {
            const std::string problem = apply(document, setting);
            const std::string key = setting.substr(0, setting.find('='));
            if (!problem.empty()) findings.mistake(0, "--set " + key + ": " + problem);
        }
        return document;
    } catch (const toml::parse_error& error) {
        std::string why(error.description());
        constexpr std::string_view opening = "Error ";
        if (why.starts_with(opening)) why.erase(0, opening.size());
        findings.mistake(static_cast<int>(error.source().begin.line), "invalid TOML: " + why);
        return std::nullopt;
    }
}

}  // namespace router
