#include <smpp/text/Alphabets.h>

#include <array>
#include <cstddef>

namespace smpp {

namespace {

constexpr std::array<char32_t, 5> smallestOfSize{0, 0, 0x80, 0x800, 0x10000};

bool isScalar(char32_t character) {
    return character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
}

// Of the character that begins with this octet; 0: none does.
std::size_t sizeBy(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return 2;
    if (first >= 0xE0 && first <= 0xEF) return 3;
    if (first >= 0xF0 && first <= 0xF4) return 4;
    return 0;
}

char32_t leadingBits(unsigned char first, std::size_t size) {
    return size == 1 ? first : first & (0x7Fu >> size);
}

char following(char32_t character, unsigned shift) {
    return static_cast<char>(0x80 | (character >> shift & 0x3F));
}

}  // namespace

void appendUtf8(std::string& out, char32_t character) {
    if (!isScalar(character)) character = replacementCharacter;
    if (character < 0x80) {
        out += static_cast<char>(character);
    } else if (character < 0x800) {
        out += static_cast<char>(0xC0 | character >> 6);
        out += following(character, 0);
    } else if (character < 0x10000) {
        out += static_cast<char>(0xE0 | character >> 12);
        out += following(character, 6);
        out += following(character, 0);
    } else {
        out += static_cast<char>(0xF0 | character >> 18);
        out += following(character, 12);
        out += following(character, 6);
        out += following(character, 0);
    }
}

char32_t takeUtf8(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t size = sizeBy(first);
    char32_t character = leadingBits(first, size);
    bool good = size != 0 && size <= text.size();
    for (std::size_t i = 1; good && i < size; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        good = (next & 0xC0) == 0x80;
        character = character << 6 | (next & 0x3Fu);
    }
    good = good && character >= smallestOfSize[size] && isScalar(character);
    text.remove_prefix(good ? size : 1);
    return good ? character : replacementCharacter;
}

std::string fromLatin1(nio::ByteView octets) {
    std::string text;
    for (const nio::Byte octet : octets) appendUtf8(text, std::to_integer<char32_t>(octet));
    return text;
}

std::optional<nio::Bytes> toLatin1(std::string_view utf8) {
    nio::Bytes octets;
    while (!utf8.empty()) {
        const char32_t character = takeUtf8(utf8);
        if (character > 0xFF) return std::nullopt;
        octets.push_back(static_cast<nio::Byte>(character));
    }
    return octets;
}

namespace {

bool isHigh(char32_t unit) {
    return unit >= 0xD800 && unit <= 0xDBFF;
}

bool isLow(char32_t unit) {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

char32_t unitAt(nio::ByteView octets, std::size_t index) {
    return std::to_integer<char32_t>(octets[index * 2]) << 8 |
           std::to_integer<char32_t>(octets[index * 2 + 1]);
}

void appendUnit(nio::Bytes& out, char32_t unit) {
    out.push_back(static_cast<nio::Byte>(unit >> 8));
    out.push_back(static_cast<nio::Byte>(unit & 0xFF));
}

}  // namespace

std::string fromUcs2(nio::ByteView octets) {
    std::string text;
    const std::size_t units = octets.size() / 2;
    for (std::size_t i = 0; i < units; ++i) {
        char32_t character = unitAt(octets, i);
        if (isHigh(character) && i + 1 < units && isLow(unitAt(octets, i + 1)))
            character = 0x10000 + ((character - 0xD800) << 10) + (unitAt(octets, ++i) - 0xDC00);
        appendUtf8(text, character);
    }
    if (octets.size() % 2 != 0) appendUtf8(text, replacementCharacter);
    return text;
}

nio::Bytes toUcs2(std::string_view utf8) {
    nio::Bytes octets;
    while (!utf8.empty()) {
        const char32_t character = takeUtf8(utf8);
        if (character < 0x10000) {
            appendUnit(octets, character);
        } else {
            appendUnit(octets, 0xD800 + ((character - 0x10000) >> 10));
            appendUnit(octets, 0xDC00 + (character & 0x3FF));
        }
    }
    return octets;
}

namespace {

constexpr std::size_t escape = 0x1B;

constexpr std::u32string_view mainTable =
    U"@£$¥èéùìòÇ\nØø\rÅå"
    U"Δ_ΦΓΛΩΠΨΣΘΞ\u001BÆæßÉ"
    U" !\"#¤%&'()*+,-./"
    U"0123456789:;<=>?"
    U"¡ABCDEFGHIJKLMNO"
    U"PQRSTUVWXYZÄÖÑÜ§"
    U"¿abcdefghijklmno"
    U"pqrstuvwxyzäöñüà";
static_assert(mainTable.size() == 128);

struct Extension {
    std::size_t septet;
    char32_t character;
};

// An escape behind the escape is reserved, and a space until there is a table for it.
constexpr std::array<Extension, 11> extensionTable{{{0x0A, U'\f'},
                                                    {0x14, U'^'},
                                                    {0x1B, U' '},
                                                    {0x28, U'{'},
                                                    {0x29, U'}'},
                                                    {0x2F, U'\\'},
                                                    {0x3C, U'['},
                                                    {0x3D, U'~'},
                                                    {0x3E, U']'},
                                                    {0x40, U'|'},
                                                    {0x65, U'€'}}};

char32_t mainCharacter(std::size_t septet) {
    return septet < mainTable.size() ? mainTable[septet] : replacementCharacter;
}

char32_t extendedCharacter(std::size_t septet) {
    for (const Extension& extension : extensionTable)
        if (extension.septet == septet) return extension.character;
    return mainCharacter(septet);
}

bool appendSeptets(nio::Bytes& out, char32_t character) {
    const std::size_t main = mainTable.find(character);
    if (main != mainTable.npos && main != escape) {
        out.push_back(static_cast<nio::Byte>(main));
        return true;
    }
    for (const Extension& extension : extensionTable) {
        if (extension.character != character) continue;
        out.push_back(nio::Byte{escape});
        out.push_back(static_cast<nio::Byte>(extension.septet));
        return true;
    }
    return false;
}

}  // namespace

std::string fromGsm0338(nio::ByteView septets) {
    std::string text;
    bool escaped = false;
    for (const nio::Byte octet : septets) {
        const auto septet = std::to_integer<std::size_t>(octet);
        if (!escaped && septet == escape) {
            escaped = true;
            continue;
        }
        appendUtf8(text, escaped ? extendedCharacter(septet) : mainCharacter(septet));
        escaped = false;
    }
    if (escaped) appendUtf8(text, replacementCharacter);
    return text;
}

std::optional<nio::Bytes> toGsm0338(std::string_view utf8) {
    nio::Bytes septets;
    while (!utf8.empty())
        if (!appendSeptets(septets, takeUtf8(utf8))) return std::nullopt;
    return septets;
}

}  // namespace smpp
