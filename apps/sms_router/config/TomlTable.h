// One table of a configuration while it is read. It knows its name, and remembers which keys it was
// asked for: whatever else is there is a mistake.
//
// Each reading call leaves its target as it is where the key is missing, and where its value is
// wrong, which is a mistake with its line then.
//
// Thread: one at a time.
// Lifetime: the TOML table and the findings must outlive it.
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nio/base/Result.h>

#include "sms_router/config/Findings.h"

namespace router {

struct TomlText {
    std::string text;
    int line = 0;
};

class TomlTable {
  public:
    using Use = std::function<void(TomlTable&)>;
    using NamedUse = std::function<void(const std::string& name, TomlTable&)>;
    template <class T>
    using Choices = std::vector<std::pair<std::string, T>>;

    // The whole document.
    TomlTable(const toml::table& table, Findings& findings) : TomlTable(table, {}, findings) {}

    int line() const;
    // Of the value; where there is none, the table's.
    int lineOf(std::string_view key);
    bool has(std::string_view key);
    bool hasTable(std::string_view key);
    bool isEmptyArray(std::string_view key);

    // --- one value --------------------------------------------------------------------------

    void flag(std::string_view key, bool& target);
    // False: missing or wrong.
    bool text(std::string_view key, std::string& target);
    // 64, or "4Ki" (see apps::parseCount).
    template <std::unsigned_integral T>
    void count(std::string_view key, T& target, std::uint64_t low, std::uint64_t high) {
        if (const auto value = wholeAt(key, low, high)) target = static_cast<T>(*value);
    }
    void number(std::string_view key, double& target, double low, double high);
    // "10s", "500ms", "7d", or a number of seconds; both bounds are allowed.
    template <class Rep, class Period>
    void duration(std::string_view key, std::chrono::duration<Rep, Period>& target,
                  std::chrono::nanoseconds low, std::chrono::nanoseconds high) {
        using Target = std::chrono::duration<Rep, Period>;
        const auto value = durationAt(key, low, high);
        if (value) target = std::chrono::ceil<Target>(*value);
    }
    template <class T>
    void choice(std::string_view key, T& target, const Choices<T>& choices) {
        std::vector<std::string> names;
        for (const auto& choice : choices) names.push_back(choice.first);
        const auto chosen = choiceAt(key, names);
        if (chosen) target = choices[*chosen].second;
    }

    // --- several ----------------------------------------------------------------------------

    // A string, or an array of them.
    std::vector<TomlText> texts(std::string_view key);
    // An array of arrays of strings.
    std::vector<std::vector<TomlText>> textLists(std::string_view key);
    // A number, or an array of them.
    std::vector<std::uint64_t> counts(std::string_view key, std::uint64_t low, std::uint64_t high);

    // --- tables within ----------------------------------------------------------------------

    // [key]. False: it is not there.
    bool table(std::string_view key, const Use& use);
    // [key.NAME], in the order of the names.
    void tables(std::string_view key, const NamedUse& use);
    // [[key]]
    void list(std::string_view key, const Use& use);

    // --- mistakes ---------------------------------------------------------------------------

    // Of the table, at its first line.
    void mistake(const std::string& what);
    // Of one key, at its line.
    void mistake(std::string_view key, const std::string& what);
    void mistakeAt(int line, std::string_view key, const std::string& what);
    void warning(std::string_view key, const std::string& what);
    // The keys that nobody has asked for are mistakes.
    void finish();

  private:
    // All empty: the document.
    struct Names {
        std::string path{};     // "account.esme1", "route"
        std::string pattern{};  // "account.*", "route"
        std::string setting{};  // as --set names it: "account.esme1", "route.2"

        Names within(std::string_view key) const;
    };

    TomlTable(const toml::table& table, Names names, Findings& findings)
        : table_(table), names_(std::move(names)), findings_(findings) {}

    const toml::node* find(std::string_view key);
    std::string placeOf(int line, std::string_view key) const;
    void use(const toml::node& node, const Names& names, const Use& use);

    std::optional<std::uint64_t> wholeAt(std::string_view key, std::uint64_t low,
                                         std::uint64_t high);
    std::optional<std::uint64_t> whole(const toml::node& node, std::string_view key,
                                       std::uint64_t low, std::uint64_t high);
    std::optional<std::chrono::nanoseconds> durationAt(std::string_view key,
                                                       std::chrono::nanoseconds low,
                                                       std::chrono::nanoseconds high);
    std::optional<std::size_t> choiceAt(std::string_view key,
                                        const std::vector<std::string>& names);
    std::vector<TomlText> textsOf(const toml::node& node, std::string_view key);

    const toml::table& table_;
    const Names names_;
    Findings& findings_;
    std::set<std::string, std::less<>> known_;
};

// --- single values. Thread: any. Errors: a sentence in context() that quotes the value.

int lineOf(const toml::node& node);
// As the file has it, in one short line.
std::string quoted(const toml::node& node);
// "a string", "an array".
std::string kindOf(const toml::node& node);

// 64, or a string such as "4Ki".
nio::Result<std::uint64_t> wholeOf(const toml::node& node);
nio::Result<double> numberOf(const toml::node& node);
// "10s", "500ms", "7d", or a number of seconds.
nio::Result<std::chrono::nanoseconds> durationOf(const toml::node& node);

}  // namespace router
