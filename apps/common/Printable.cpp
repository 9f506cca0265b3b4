#include "common/Printable.h"

namespace apps {

namespace {

bool isControl(char c) {
    return (c >= 0 && c < ' ') || c == '\x7f';
}

// U+0080 to U+009F: a terminal may take U+009B for ESC [.
bool isSecondSet(std::string_view text) {
    return text.size() >= 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
}

constexpr const char* replacement = "\xef\xbf\xbd";

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The lowest second byte of a longer form, and the highest: no overlong form, no surrogate, nothing
// above U+10FFFF.
bool isSecondByte(unsigned first, unsigned second) {
    switch (first) {
        case 0xe0: return second >= 0xa0;
        case 0xed: return second < 0xa0;
        case 0xf0: return second >= 0x90;
        case 0xf4: return second < 0x90;
        default: return true;
    }
}

// How long the character is with which the text begins; 0: none does.
std::size_t characterBytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xc2 || first > 0xf4 ? 0
                               : first < 0xe0               ? 2
                               : first < 0xf0               ? 3
                                                            : 4;
    if (length == 0 || text.size() < length || !isSecondByte(first, byte(1))) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!continues(text[i])) return 0;
    }
    return length;
}

}  // namespace

std::string validUtf8(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = characterBytes(text);
        valid += length == 0 ? std::string_view(replacement) : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return valid;
}

std::string printable(std::string_view unsafe, std::string_view kept) {
    const std::string valid = validUtf8(unsafe);
    std::string_view text = valid;
    std::string safe;
    safe.reserve(text.size());
    for (; !text.empty(); text.remove_prefix(1)) {
        const bool two = isSecondSet(text);
        if (two) text.remove_prefix(1);
        const bool harmless = !isControl(text[0]) || kept.find(text[0]) != kept.npos;
        safe += !two && harmless ? text[0] : '?';
    }
    return safe;
}

}  // namespace apps
