#include "echo_client/payload/Template.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "common/ReadFile.h"

namespace load {

namespace {

constexpr std::size_t mostLetters = 1024 * 1024;

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

// Three octal digits for each byte that could mean something.
std::string escaped(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto value = static_cast<unsigned char>(c);
        if (std::isalnum(value) != 0 || c == ' ') {
            text += c;
            continue;
        }
        text += '\\';
        for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (value >> shift & 7));
    }
    return text;
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

// Escapes are read between the places, so that an escaped brace is none.
nio::Result<Template> Template::parse(const std::string& text) {
    Template made;
    if (text.starts_with("@")) {
        auto file = apps::readFile(text.substr(1), longest);
        if (!file) return badText(text.substr(1) + ": " + file.error().code().message());
        made.addText(file.value());
    } else {
        std::string_view rest = text;
        std::string literal;
        while (!rest.empty()) {
            const std::size_t end = rest.front() == '{' ? rest.find('}') : std::string_view::npos;
            if (end != std::string_view::npos) {
                const auto before = unescape(literal);
                if (!before) return before.error();
                Template place;
                if (place.addPlace(rest.substr(1, end - 1))) {
                    made.addLiteral(before.value());
                    made.parts_.push_back(place.parts_.front());
                    literal.clear();
                    rest.remove_prefix(end + 1);
                    continue;
                }
            }
            const std::size_t taken = rest.front() == '\\' && rest.size() > 1 ? 2 : 1;
            literal += rest.substr(0, taken);
            rest.remove_prefix(taken);
        }
        const auto last = unescape(literal);
        if (!last) return last.error();
        made.addLiteral(last.value());
    }
    if (made.parts_.empty()) return badText("a message must not be empty");
    return made;
}

void Template::addLiteral(std::string_view bytes) {
    if (!bytes.empty()) parts_.push_back({Kind::literal, std::string(bytes), 0});
}

bool Template::addPlace(std::string_view inBraces) {
    if (inBraces == "seq") return parts_.push_back({Kind::sequence}), true;
    if (inBraces == "conn") return parts_.push_back({Kind::connection}), true;
    constexpr std::string_view random = "random:";
    if (!inBraces.starts_with(random)) return false;
    const std::string_view digits = inBraces.substr(random.size());
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool isNumber = error == std::errc() && end == digits.data() + digits.size();
    if (!isNumber || count == 0 || count > mostLetters) return false;
    parts_.push_back({Kind::random, {}, count});
    return true;
}

// Of a file: no escapes.
void Template::addText(std::string_view text) {
    std::size_t begin = 0;
    for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
        const std::size_t end = text.find('}', at);
        if (end == std::string_view::npos) break;
        Template place;
        if (!place.addPlace(text.substr(at + 1, end - at - 1))) {
            ++at;
            continue;
        }
        addLiteral(text.substr(begin, at - begin));
        parts_.push_back(place.parts_.front());
        at = begin = end + 1;
    }
    addLiteral(text.substr(begin));
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
            case Kind::literal: text += escaped(part.bytes); break;
            case Kind::sequence: text += "{seq}"; break;
            case Kind::connection: text += "{conn}"; break;
            case Kind::random: text += "{random:" + std::to_string(part.letters) + "}"; break;
        }
    }
    return text;
}

}  // namespace load
