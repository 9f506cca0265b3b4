#include <smpp/text/Gsm0338.h>

#include <array>
#include <cstddef>

#include <smpp/text/Utf8.h>

namespace smpp {

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

bool append(nio::Bytes& out, char32_t character) {
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
        if (!append(septets, takeUtf8(utf8))) return std::nullopt;
    return septets;
}

}  // namespace smpp
