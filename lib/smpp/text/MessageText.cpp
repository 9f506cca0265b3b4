#include <smpp/text/MessageText.h>

#include <array>
#include <cstdio>

#include <smpp/text/UserDataHeader.h>

namespace smpp {

namespace {

void appendNumbered(std::string& out, const char* format, char32_t number) {
    std::array<char, 12> text{};
    std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(number));
    out += text.data();
}

// Controls, and what would turn the direction of the rest of the line, or break it.
bool isPrintable(char32_t c) {
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return false;
    if (c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E)) return false;
    return c < 0x2066 || c > 0x2069;
}

void appendEscaped(std::string& out, char32_t c) {
    if (c == U'\n') {
        out += "\\n";
    } else if (c == U'\r') {
        out += "\\r";
    } else if (c == U'\t') {
        out += "\\t";
    } else if (c == U'\\') {
        out += "\\\\";
    } else if (isPrintable(c)) {
        appendUtf8(out, c);
    } else {
        appendNumbered(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    }
}

std::string escapedOctets(nio::ByteView octets) {
    std::string text;
    for (const nio::Byte octet : octets) {
        const auto c = std::to_integer<char32_t>(octet);
        if (c < 0x7F)
            appendEscaped(text, c);
        else
            appendNumbered(text, "\\x%02x", c);
    }
    return text;
}

// Of the national single shift table; 0: the header names none.
std::uint8_t languageOf(const UserDataHeader& header) {
    // Of several such elements the last counts (23.040, 9.2.3.24).
    std::uint8_t language = 0;
    for (const UserDataElement& element : header)
        if (element.identifier == UserDataElement::singleShift && element.value.size() == 1)
            language = std::to_integer<std::uint8_t>(element.value[0]);
    return language;
}

// Nothing: it has no characters, or none over 126 that are certain.
std::optional<std::string> decoded(nio::ByteView octets, Alphabet alphabet, std::uint8_t language) {
    switch (alphabet) {
        case Alphabet::gsm: return fromGsm0338(octets, language);
        case Alphabet::latin1: return fromLatin1(octets);
        case Alphabet::ucs2: return fromUcs2(octets);
        default: return std::nullopt;
    }
}

std::string shown(nio::ByteView octets, Alphabet alphabet, std::uint8_t language) {
    const std::optional<std::string> text = decoded(octets, alphabet, language);
    return text ? escaped(*text) : escapedOctets(octets);
}

}  // namespace

Alphabet alphabetOf(std::uint8_t dataCoding) {
    switch (dataCoding) {
        case 0: return Alphabet::gsm;
        case 1: return Alphabet::ascii;
        case 3: return Alphabet::latin1;
        case 8: return Alphabet::ucs2;
        default: break;
    }
    switch (dataCoding & 0xF0) {
        case 0xC0:
        case 0xD0: return Alphabet::gsm;
        case 0xE0: return Alphabet::ucs2;
        case 0xF0: return (dataCoding & 0x04) == 0 ? Alphabet::gsm : Alphabet::octets;
        default: return Alphabet::octets;
    }
}

std::optional<std::string> plainText(const Pdu& pdu) {
    const UserDataHeader header(pdu);
    const nio::ByteView text = pdu.message().subspan(header.size());
    Alphabet alphabet = alphabetOf(pdu.number(Field::dataCoding));
    if (alphabet == Alphabet::ascii) alphabet = Alphabet::latin1;
    return decoded(text, alphabet, languageOf(header));
}

std::string messageText(const Pdu& pdu, std::size_t maximumOctets) {
    const UserDataHeader header(pdu);
    const nio::ByteView message = pdu.message();
    const nio::ByteView text = message.subspan(header.size());
    const Alphabet alphabet = alphabetOf(pdu.number(Field::dataCoding));
    const std::uint8_t language = languageOf(header);
    // An even number, so that UCS2 is not cut within a character.
    if (text.size() <= maximumOctets) return shown(text, alphabet, language);
    return shown(text.first(maximumOctets & ~std::size_t{1}), alphabet, language) + "…";
}

std::string escaped(std::string_view utf8) {
    std::string text;
    while (!utf8.empty()) appendEscaped(text, takeUtf8(utf8));
    return text;
}

}  // namespace smpp
