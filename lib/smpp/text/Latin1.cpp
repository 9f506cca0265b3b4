#include <smpp/text/Latin1.h>

#include <smpp/text/Utf8.h>

namespace smpp {

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

}  // namespace smpp
