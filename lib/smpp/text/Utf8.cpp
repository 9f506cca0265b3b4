#include <smpp/text/Utf8.h>

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

}  // namespace smpp
