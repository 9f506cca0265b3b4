#include <smpp/text/MessageIdKey.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

namespace smpp {

namespace {

using namespace std::string_view_literals;

// What some SMSCs write around an id here, and leave out there.
constexpr std::array<bool, 256> marks() {
    std::array<bool, 256> marks{};
    for (const char mark : " \t\r\n\0\"'`<>[](){}.+#*"sv)
        marks[static_cast<unsigned char>(mark)] = true;
    return marks;
}

bool isMark(char c) {
    static constexpr std::array<bool, 256> table = marks();
    return table[static_cast<unsigned char>(c)];
}

bool saysHexadecimal(std::string_view id) {
    return id.size() > 2 && (id.substr(0, 2) == "0x" || id.substr(0, 2) == "0X");
}

std::string_view trimmed(std::string_view id) {
    std::string_view bare = id;
    while (!bare.empty() && isMark(bare.front())) bare.remove_prefix(1);
    while (!bare.empty() && isMark(bare.back())) bare.remove_suffix(1);
    return bare.empty() ? id : bare;
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<std::uint64_t> number(std::string_view id, int base) {
    std::uint64_t value = 0;
    const char* end = id.data() + id.size();
    const auto [rest, error] = std::from_chars(id.data(), end, value, base);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

std::string written(std::uint64_t value, int base) {
    std::array<char, 20> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value, base);
    return {digits.data(), result.ptr};
}

// A part of the message, or one of its destinations. Longer ends are the id's own.
std::string_view withoutSuffix(std::string_view id) {
    constexpr std::size_t longest = 3;
    const std::size_t divider = id.find_last_of(suffixDividers);
    if (divider == std::string_view::npos || divider == 0) return {};
    const std::string_view suffix = id.substr(divider + 1);
    const bool isSuffix = suffix.size() <= longest && number(suffix, 10).has_value();
    return isSuffix ? id.substr(0, divider) : std::string_view();
}

}  // namespace

std::string_view bareId(std::string_view id) {
    const std::string_view bare = trimmed(id);
    return saysHexadecimal(bare) ? bare.substr(2) : bare;
}

std::string exactKey(std::string_view id) {
    // Behind zeros or "0x" there may be brackets again: the key of a key is itself.
    for (std::size_t before = id.size() + 1; id.size() < before;) {
        before = id.size();
        id = bareId(id);
        if (id.empty()) return {};
        id.remove_prefix(std::min(id.find_first_not_of('0'), id.size() - 1));
    }
    std::string key(id);
    std::size_t size = 0;
    for (const char c : id) {
        key[size] = lower(c);
        if (c != ' ' && c != '\t') ++size;
    }
    key.resize(size);
    return key;
}

AlternativeKeys alternativeKeys(std::string_view id) {
    AlternativeKeys keys;
    const bool isHexadecimal = saysHexadecimal(trimmed(id));
    id = bareId(id);
    const auto decimal = isHexadecimal ? std::nullopt : number(id, 10);
    // A number under ten is the same either way.
    if (decimal && *decimal >= 10) keys.add(written(*decimal, 16));
    const auto hexadecimal = number(id, 16);
    if (hexadecimal && *hexadecimal >= 10) keys.add(written(*hexadecimal, 10));
    if (const std::string_view whole = withoutSuffix(id); !whole.empty()) keys.add(exactKey(whole));
    return keys;
}

}  // namespace smpp
