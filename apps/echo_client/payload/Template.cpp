#include "echo_client/payload/Template.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "common/Quantity.h"
#include "common/ReadFile.h"

namespace load {

namespace {

nio::Error badText(const std::string& why) {
    return {std::errc::invalid_argument, why};
}

std::optional<char> simpleEscape(char letter) {
    constexpr std::string_view letters = "nrtabfve";
    constexpr std::string_view bytes = "\n\r\t\a\b\f\v\x1b";
    const std::size_t at = letters.find(letter);
    if (at != std::string_view::npos) return bytes[at];
    if (std::ispunct(static_cast<unsigned char>(letter)) != 0) return letter;
    return std::nullopt;
}

// The number at the beginning of `digits`, of at most `most` digits, which it takes off.
std::optional<char> takeNumber(std::string_view& digits, int base, std::size_t most) {
    unsigned value = 0;
    const char* const begin = digits.data();
    const char* const end = begin + std::min(most, digits.size());
    const auto [read, error] = std::from_chars(begin, end, value, base);
    if (error != std::errc() || value > 255) return std::nullopt;
    digits.remove_prefix(static_cast<std::size_t>(read - begin));
    return static_cast<char>(value);
}

// What follows a backslash, which it takes off.
std::optional<char> takeEscape(std::string_view& rest) {
    if (rest.empty()) return std::nullopt;
    const char letter = rest.front();
    if (letter >= '0' && letter <= '7') return takeNumber(rest, 8, 3);
    rest.remove_prefix(1);
    if (letter == 'x') return takeNumber(rest, 16, 2);
    return simpleEscape(letter);
}

void appendText(std::string_view text, nio::Bytes& to) {
    const nio::ByteView bytes = nio::asBytes(text);
    to.insert(to.end(), bytes.begin(), bytes.end());
}

std::string lettersOf(std::size_t count, Random& random) {
    constexpr std::string_view all =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::string text(count, '0');
    for (char& letter : text) letter = all[static_cast<std::size_t>(random.below(all.size()))];
    return text;
}

}  // namespace

nio::Result<std::string> unescape(std::string_view text) {
    std::string bytes;
    std::string_view rest = text;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
            bytes += c;
            continue;
        }
        const std::string_view from = rest;
        const std::optional<char> byte = takeEscape(rest);
        if (!byte) return badText("'\\" + std::string(from.substr(0, 3)) + "' is not an escape");
        bytes += *byte;
    }
    return bytes;
}

std::string escape(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto value = static_cast<unsigned char>(c);
        if (!text.empty() && (std::isalnum(value) != 0 || c == ' ')) {
            text += c;
            continue;
        }
        text += '\\';
        for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (value >> shift & 7));
    }
    return text;
}

nio::Result<Template> Template::parse(const std::string& text) {
    Template made;
    const bool isFile = text.starts_with("@");
    if (isFile) {
        const auto file = apps::readFile(text.substr(1), longest);
        if (!file) return badText(text.substr(1) + ": " + file.error().code().message());
        if (const auto added = made.add(file.value(), false); !added) return added.error();
    } else if (const auto added = made.add(text, true); !added) {
        return added.error();
    }
    if (made.parts_.empty()) return badText("a message must not be empty");
    if (made.largest() <= longest) return made;
    return badText("a message must not be longer than " + std::to_string(longest) + " bytes");
}

// Escapes are read between the places, so that an escaped brace is none.
nio::Result<void> Template::add(std::string_view text, bool hasEscapes) {
    std::string literal;
    while (!text.empty()) {
        std::size_t taken = 0;
        const auto place = placeAt(text, taken);
        if (!place) return place.error();
        if (taken > 0) {
            if (const auto added = addLiteral(literal, hasEscapes); !added) return added;
            parts_.push_back(place.value());
            literal.clear();
        } else {
            taken = hasEscapes && text.front() == '\\' && text.size() > 1 ? 2 : 1;
            literal += text.substr(0, taken);
        }
        text.remove_prefix(taken);
    }
    return addLiteral(literal, hasEscapes);
}

nio::Result<void> Template::addLiteral(const std::string& text, bool hasEscapes) {
    const auto bytes = hasEscapes ? unescape(text) : nio::Result<std::string>(text);
    if (!bytes) return bytes.error();
    if (!bytes.value().empty()) parts_.push_back({Kind::literal, bytes.value(), 0});
    return {};
}

nio::Result<Template::Part> Template::placeAt(std::string_view text, std::size_t& length) {
    constexpr std::string_view sequence = "{seq}";
    constexpr std::string_view connection = "{conn}";
    constexpr std::string_view random = "{random:";
    if (text.starts_with(sequence)) {
        length = sequence.size();
        return Part{Kind::sequence};
    }
    if (text.starts_with(connection)) {
        length = connection.size();
        return Part{Kind::connection};
    }
    if (!text.starts_with(random)) return Part{};
    constexpr std::size_t longestPlace = 40;
    const std::string place(text.substr(0, std::min(text.find('}'), longestPlace)));
    const auto letters = apps::parseCountWithin(1, longest, place.substr(random.size()));
    length = place.size() + 1;
    if (!letters) return badText("'" + place + "}': " + letters.error().context());
    if (length > text.size()) return badText("'" + place + "': the } is missing");
    return Part{Kind::random, {}, static_cast<std::size_t>(letters.value())};
}

std::size_t Template::largest() const {
    constexpr std::size_t mostDigits = 20;
    std::size_t bytes = 0;
    for (const Part& part : parts_) {
        const bool isNumber = part.kind == Kind::sequence || part.kind == Kind::connection;
        bytes += part.bytes.size() + part.letters + (isNumber ? mostDigits : 0);
    }
    return bytes;
}

void Template::append(std::uint64_t connection, std::uint64_t sequence, Random random,
                      nio::Bytes& to) const {
    for (const Part& part : parts_) {
        switch (part.kind) {
            case Kind::literal: appendText(part.bytes, to); break;
            case Kind::sequence: appendText(std::to_string(sequence), to); break;
            case Kind::connection: appendText(std::to_string(connection), to); break;
            case Kind::random: appendText(lettersOf(part.letters, random), to); break;
        }
    }
}

std::string Template::toString() const {
    std::string text;
    for (const Part& part : parts_) {
        switch (part.kind) {
            case Kind::literal: text += escape(part.bytes); break;
            case Kind::sequence: text += "{seq}"; break;
            case Kind::connection: text += "{conn}"; break;
            case Kind::random: text += "{random:" + std::to_string(part.letters) + "}"; break;
        }
    }
    return text;
}

}  // namespace load
