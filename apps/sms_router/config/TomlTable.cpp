#include "sms_router/config/TomlTable.h"

#include <algorithm>
#include <sstream>

#include "common/Quantity.h"
#include "sms_router/config/Spelling.h"

namespace router {

namespace {

std::string joined(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
}

// It will be shown on terminals, in logs and on pages.
bool isName(const std::string& name) {
    const auto isControl = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
    return !name.empty() && name.size() <= 64 && std::ranges::none_of(name, isControl);
}

std::string range(const std::string& low, const std::string& high) {
    return " is out of range: " + low + " to " + high;
}

std::string writeDuration(std::chrono::nanoseconds time) {
    constexpr std::chrono::hours day(24);
    if (time >= day && time % day == time.zero()) return std::to_string(time / day) + "d";
    return apps::writeDuration(time);
}

}  // namespace

int TomlTable::line() const {
    return router::lineOf(table_);
}

int TomlTable::lineOf(std::string_view key) {
    const toml::node* node = find(key);
    return node == nullptr ? line() : router::lineOf(*node);
}

bool TomlTable::has(std::string_view key) {
    return find(key) != nullptr;
}

bool TomlTable::hasTable(std::string_view key) {
    const toml::node* node = find(key);
    return node != nullptr && node->is_table();
}

bool TomlTable::isEmptyArray(std::string_view key) {
    const toml::node* node = find(key);
    return node != nullptr && node->is_array() && node->as_array()->empty();
}

// --- one value ------------------------------------------------------------------------------

void TomlTable::flag(std::string_view key, bool& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto* value = node->as_boolean();
    if (value == nullptr) return mistake(key, quoted(*node) + " is neither true nor false");
    target = value->get();
}

bool TomlTable::text(std::string_view key, std::string& target) {
    const toml::node* node = find(key);
    if (node == nullptr) return false;
    const auto* value = node->as_string();
    if (value == nullptr) return mistake(key, "is " + kindOf(*node) + ", not a string"), false;
    // A path or a field of a PDU would end there.
    const bool hasNul = value->get().find('\0') != std::string::npos;
    if (hasNul) return mistake(key, "contains a NUL"), false;
    target = value->get();
    return true;
}

std::optional<std::uint64_t> TomlTable::wholeAt(std::string_view key, std::uint64_t low,
                                                std::uint64_t high) {
    const toml::node* node = find(key);
    return node == nullptr ? std::nullopt : whole(*node, key, low, high);
}

std::optional<std::uint64_t> TomlTable::whole(const toml::node& node, std::string_view key,
                                              std::uint64_t low, std::uint64_t high) {
    const auto value = wholeOf(node);
    if (value && value.value() >= low && value.value() <= high) return value.value();
    const auto what = value ? quoted(node) + range(std::to_string(low), std::to_string(high))
                            : value.error().context();
    mistakeAt(router::lineOf(node), key, what);
    return std::nullopt;
}

void TomlTable::number(std::string_view key, double& target, double low, double high) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto value = numberOf(*node);
    if (!value) return mistake(key, value.error().context());
    if (value.value() < low || value.value() > high) {
        return mistake(key, quoted(*node) + range(apps::writeNumber(low), apps::writeNumber(high)));
    }
    target = value.value();
}

std::optional<std::chrono::nanoseconds> TomlTable::durationAt(std::string_view key,
                                                              std::chrono::nanoseconds low,
                                                              std::chrono::nanoseconds high) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const auto value = durationOf(*node);
    if (value && value.value() >= low && value.value() <= high) return value.value();
    mistake(key, value ? quoted(*node) + range(writeDuration(low), writeDuration(high))
                       : value.error().context());
    return std::nullopt;
}

std::optional<std::size_t> TomlTable::choiceAt(std::string_view key,
                                               const std::vector<std::string>& names) {
    std::string name;
    if (!text(key, name)) return std::nullopt;
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    mistake(key, "'" + name + "' is not one of " + listed(names));
    return std::nullopt;
}

// --- several --------------------------------------------------------------------------------

std::vector<TomlText> TomlTable::textsOf(const toml::node& node, std::string_view key) {
    if (const auto* one = node.as_string()) return {{one->get(), router::lineOf(node)}};
    const auto* array = node.as_array();
    if (array == nullptr) {
        mistakeAt(router::lineOf(node), key, "is " + kindOf(node) + ", not an array of strings");
        return {};
    }
    std::vector<TomlText> texts;
    for (const toml::node& element : *array) {
        if (const auto* text = element.as_string()) {
            texts.push_back({text->get(), router::lineOf(element)});
        } else {
            mistakeAt(router::lineOf(element), key, quoted(element) + " is not a string");
        }
    }
    return texts;
}

std::vector<TomlText> TomlTable::texts(std::string_view key) {
    const toml::node* node = find(key);
    return node == nullptr ? std::vector<TomlText>() : textsOf(*node, key);
}

std::vector<std::vector<TomlText>> TomlTable::textLists(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    const auto* array = node->as_array();
    if (array == nullptr) {
        mistake(key, "is " + kindOf(*node) + ", not an array of arrays");
        return {};
    }
    std::vector<std::vector<TomlText>> lists;
    for (const toml::node& element : *array) {
        if (element.is_array()) {
            lists.push_back(textsOf(element, key));
        } else {
            mistakeAt(router::lineOf(element), key,
                      quoted(element) + " is not an array of strings");
        }
    }
    return lists;
}

std::vector<std::uint64_t> TomlTable::counts(std::string_view key, std::uint64_t low,
                                             std::uint64_t high) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    std::vector<std::uint64_t> counts;
    const auto add = [&](const toml::node& element) {
        if (const auto value = whole(element, key, low, high)) counts.push_back(*value);
    };
    const auto* array = node->as_array();
    if (array == nullptr) {
        add(*node);
    } else {
        for (const toml::node& element : *array) add(element);
    }
    return counts;
}

// --- tables within --------------------------------------------------------------------------

bool TomlTable::table(std::string_view key, const Use& use) {
    const toml::node* node = find(key);
    if (node == nullptr) return false;
    this->use(*node, names_.within(key), use);
    return true;
}

void TomlTable::tables(std::string_view key, const NamedUse& use) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto* named = node->as_table();
    if (named == nullptr) {
        return mistake(key,
                       "is " + kindOf(*node) + "; write [" + names_.within(key).path + ".NAME]");
    }
    for (const auto& entry : *named) {
        const std::string name(entry.first.str());
        if (!isName(name)) {
            mistakeAt(router::lineOf(entry.second), key,
                      "a name must have 1 to 64 printable octets");
        }
        const auto useNamed = [&](TomlTable& table) { use(name, table); };
        Names names = names_.within(key).within(name);
        names.pattern = names_.within(key).within("*").pattern;
        this->use(entry.second, names, useNamed);
    }
}

void TomlTable::list(std::string_view key, const Use& use) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto* array = node->as_array();
    if (array == nullptr) {
        const std::string element = "[[" + names_.within(key).path + "]]";
        // One that --set has made.
        const bool isSet = node->is_table() && router::lineOf(*node) == 0;
        return mistake(key, isSet ? "the file has no " + element + " to change"
                                  : "is " + kindOf(*node) + "; write " + element);
    }
    std::size_t index = 0;
    for (const toml::node& element : *array) {
        Names names = names_.within(key);
        names.setting += "." + std::to_string(index++);
        this->use(element, names, use);
    }
}

void TomlTable::use(const toml::node& node, const Names& names, const Use& use) {
    const auto* inner = node.as_table();
    if (inner == nullptr) {
        const int line = router::lineOf(node);
        const std::string place = line == 0 ? "--set " + names.setting : names.path;
        return findings_.mistake(line, place + ": is " + kindOf(node) + ", not a table");
    }
    TomlTable table(*inner, names, findings_);
    findings_.foundAt(names.path, table.line());
    use(table);
    table.finish();
}

// --- mistakes -------------------------------------------------------------------------------

void TomlTable::mistake(const std::string& what) {
    const bool isWhole = names_.path.empty();
    findings_.mistake(line(), isWhole ? what : placeOf(line(), "") + ": " + what);
}

void TomlTable::mistake(std::string_view key, const std::string& what) {
    mistakeAt(lineOf(key), key, what);
}

void TomlTable::mistakeAt(int line, std::string_view key, const std::string& what) {
    findings_.mistake(line, placeOf(line, key) + ": " + what);
}

void TomlTable::warning(std::string_view key, const std::string& what) {
    findings_.warning(lineOf(key), placeOf(lineOf(key), key) + ": " + what);
}

void TomlTable::finish() {
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const auto& entry : table_) {
        const std::string key(entry.first.str());
        if (known_.contains(key)) continue;
        const int line = static_cast<int>(entry.first.source().begin.line);
        const Names names = names_.within(key);
        const std::string what =
            line == 0 ? "--set: unknown key '" + names.setting : "unknown key '" + names.path;
        findings_.mistake(line, what + "'" + didYouMean(key, known));
    }
}

const toml::node* TomlTable::find(std::string_view key) {
    if (known_.emplace(key).second) findings_.lookedFor(names_.within(key).pattern);
    return table_.get(key);
}

TomlTable::Names TomlTable::Names::within(std::string_view key) const {
    return {joined(path, key), joined(pattern, key), joined(setting, key)};
}

// What --set has put there has no line.
std::string TomlTable::placeOf(int line, std::string_view key) const {
    const Names names = key.empty() ? names_ : names_.within(key);
    return line == 0 ? "--set " + names.setting : names.path;
}

}  // namespace router
