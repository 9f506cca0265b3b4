#include <smpp/text/Ucs2.h>

#include <cstddef>

#include <smpp/text/Utf8.h>

namespace smpp {

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

void append(nio::Bytes& out, char32_t unit) {
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
            append(octets, character);
        } else {
            append(octets, 0xD800 + ((character - 0x10000) >> 10));
            append(octets, 0xDC00 + (character & 0x3FF));
        }
    }
    return octets;
}

}  // namespace smpp
