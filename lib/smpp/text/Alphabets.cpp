#include <smpp/text/Alphabets.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>

namespace smpp {

namespace {

constexpr std::array<char32_t, 5> smallestOfSize{0, 0, 0x80, 0x800, 0x10000};

bool isScalar(char32_t character) {
    return character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
}

// Of the character beyond ASCII that begins with this octet; 0: none does.
std::size_t sizeBy(unsigned char first) {
    if (first >= 0xC2 && first <= 0xDF) return 2;
    if (first >= 0xE0 && first <= 0xEF) return 3;
    if (first >= 0xF0 && first <= 0xF4) return 4;
    return 0;
}

char32_t leadingBits(unsigned char first, std::size_t size) {
    return first & (0x7Fu >> size);
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
    if (first < 0x80) {
        text.remove_prefix(1);
        return first;
    }
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

constexpr std::uint8_t noSeptet = 0xFF;

// The septet of each character before U+0400 in the main table. The others have none there.
constexpr auto mainSeptets = [] {
    std::array<std::uint8_t, 0x400> septets{};
    septets.fill(noSeptet);
    for (std::size_t i = 0; i < mainTable.size(); ++i)
        if (i != escape) septets[mainTable[i]] = static_cast<std::uint8_t>(i);
    return septets;
}();

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

// What national tables have beyond the default extension table, which each of them contains.
constexpr Extension turkishTable[] = {{0x47, U'Ğ'}, {0x49, U'İ'}, {0x53, U'Ş'}, {0x63, U'ç'},
                                      {0x67, U'ğ'}, {0x69, U'ı'}, {0x73, U'ş'}};

constexpr Extension spanishTable[] = {{0x09, U'ç'}, {0x41, U'Á'}, {0x49, U'Í'},
                                      {0x4F, U'Ó'}, {0x55, U'Ú'}, {0x61, U'á'},
                                      {0x69, U'í'}, {0x6F, U'ó'}, {0x75, U'ú'}};

constexpr Extension portugueseTable[] = {
    {0x05, U'ê'}, {0x09, U'ç'}, {0x0B, U'Ô'}, {0x0C, U'ô'}, {0x0E, U'Á'}, {0x0F, U'á'},
    {0x12, U'Φ'}, {0x13, U'Γ'}, {0x15, U'Ω'}, {0x16, U'Π'}, {0x17, U'Ψ'}, {0x18, U'Σ'},
    {0x19, U'Θ'}, {0x1F, U'Ê'}, {0x41, U'À'}, {0x49, U'Í'}, {0x4F, U'Ó'}, {0x55, U'Ú'},
    {0x5B, U'Ã'}, {0x5C, U'Õ'}, {0x61, U'Â'}, {0x69, U'í'}, {0x6F, U'ó'}, {0x75, U'ú'},
    {0x7B, U'ã'}, {0x7C, U'õ'}, {0x7F, U'â'}};

std::span<const Extension> nationalTable(std::uint8_t language) {
    switch (language) {
        case 1: return turkishTable;
        case 2: return spanishTable;
        case 3: return portugueseTable;
        default: return {};
    }
}

char32_t mainCharacter(std::size_t septet) {
    return septet < mainTable.size() ? mainTable[septet] : replacementCharacter;
}

char32_t extendedCharacter(std::size_t septet, std::span<const Extension> national) {
    for (const Extension& extension : national)
        if (extension.septet == septet) return extension.character;
    for (const Extension& extension : extensionTable)
        if (extension.septet == septet) return extension.character;
    return mainCharacter(septet);
}

}  // namespace

std::string fromGsm0338(nio::ByteView septets, std::uint8_t language) {
    const std::span<const Extension> national = nationalTable(language);
    std::string text;
    bool escaped = false;
    for (const nio::Byte octet : septets) {
        const auto septet = std::to_integer<std::size_t>(octet);
        if (!escaped && septet == escape) {
            escaped = true;
            continue;
        }
        appendUtf8(text, escaped ? extendedCharacter(septet, national) : mainCharacter(septet));
        escaped = false;
    }
    if (escaped) appendUtf8(text, replacementCharacter);
    return text;
}

namespace {

void append(nio::Bytes& out, char32_t octet) {
    out.push_back(static_cast<nio::Byte>(octet));
}

bool appendOctet(nio::Bytes& out, char32_t character, char32_t largest) {
    if (character > largest) return false;
    append(out, character);
    return true;
}

void appendUnit(nio::Bytes& out, char32_t unit) {
    append(out, unit >> 8);
    append(out, unit & 0xFF);
}

bool appendUnits(nio::Bytes& out, char32_t character) {
    if (character < 0x10000) {
        appendUnit(out, character);
    } else {
        appendUnit(out, 0xD800 + ((character - 0x10000) >> 10));
        appendUnit(out, 0xDC00 + (character & 0x3FF));
    }
    return true;
}

bool appendExtended(nio::Bytes& out, char32_t character, std::span<const Extension> table) {
    for (const Extension& extension : table) {
        if (extension.character != character) continue;
        append(out, escape);
        append(out, static_cast<char32_t>(extension.septet));
        return true;
    }
    return false;
}

bool appendSeptets(nio::Bytes& out, char32_t character, std::uint8_t language) {
    const std::uint8_t main = character < mainSeptets.size() ? mainSeptets[character] : noSeptet;
    if (main == noSeptet)
        return appendExtended(out, character, extensionTable) ||
               appendExtended(out, character, nationalTable(language));
    append(out, main);
    return true;
}

bool appendCharacter(nio::Bytes& out, char32_t character, Alphabet alphabet) {
    switch (alphabet) {
        case Alphabet::ascii: return appendOctet(out, character, 0x7F);
        case Alphabet::latin1: return appendOctet(out, character, 0xFF);
        case Alphabet::ucs2: return appendUnits(out, character);
        case Alphabet::octets: return false;
        default: return appendSeptets(out, character, languageOf(alphabet));
    }
}

// Of an octet that is a character of ASCII.
constexpr auto asciiSeptets = [] {
    std::array<std::uint8_t, 0x100> septets{};
    septets.fill(noSeptet);
    std::copy_n(mainSeptets.begin(), 0x80, septets.begin());
    return septets;
}();

// Takes characters of ASCII that the main table has off the text: most texts are nothing else.
void appendPlain(nio::Bytes& out, std::string_view& text) {
    const auto septetOf = [](char c) { return asciiSeptets[static_cast<unsigned char>(c)]; };
    std::size_t size = 0;
    while (size < text.size() && septetOf(text[size]) != noSeptet) ++size;
    // No more than that: it is called for each character of other texts.
    const std::size_t before = out.size();
    out.resize(before + size);
    for (std::size_t i = 0; i < size; ++i) out[before + i] = nio::Byte{septetOf(text[i])};
    text.remove_prefix(size);
}

bool hasSeptets(Alphabet alphabet) {
    return alphabet == Alphabet::gsm || languageOf(alphabet) != 0;
}

nio::Error notUtf8(std::size_t offset) {
    return {std::errc::illegal_byte_sequence, "octet " + std::to_string(offset) + " is not UTF-8"};
}

nio::Error notInAlphabet(char32_t character, std::size_t offset) {
    std::array<char, 12> name{};
    std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(character));
    return {std::errc::invalid_argument, std::string(name.data()) + " at octet " +
                                             std::to_string(offset) + " is not in the alphabet"};
}

}  // namespace

std::uint8_t languageOf(Alphabet alphabet) {
    switch (alphabet) {
        case Alphabet::gsmTurkish: return 1;
        case Alphabet::gsmSpanish: return 2;
        case Alphabet::gsmPortuguese: return 3;
        default: return 0;
    }
}

nio::Result<nio::Bytes> encoded(std::string_view utf8, Alphabet alphabet) {
    nio::Bytes octets;
    octets.reserve(utf8.size());
    for (std::string_view rest = utf8; !rest.empty();) {
        if (hasSeptets(alphabet)) appendPlain(octets, rest);
        if (rest.empty()) break;
        const std::size_t offset = utf8.size() - rest.size();
        const char32_t character = takeUtf8(rest);
        const std::size_t size = utf8.size() - rest.size() - offset;
        // U+FFFD that is in the text has three octets.
        if (character == replacementCharacter && size == 1) return notUtf8(offset);
        if (!appendCharacter(octets, character, alphabet)) return notInAlphabet(character, offset);
    }
    return octets;
}

}  // namespace smpp
