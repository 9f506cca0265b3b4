// The character codes and ids of lib/smpp/text, over any bytes. What must hold:
//  - what is made of octets is UTF-8, and what goes there and back stays the same;
//  - a text cut into parts and joined again is the same, and no part is longer than a message;
//  - the keys of an id are stable, and none of the alternatives is the exact one.
//
// Input: the text.

#include <smpp/text/Alphabets.h>
#include <smpp/text/MessageIdKey.h>
#include <smpp/text/MessageText.h>
#include <smpp/text/Segments.h>
#include <smpp/text/UserDataHeader.h>

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;
using smpp::Alphabet;

constexpr Alphabet alphabets[] = {Alphabet::gsm,        Alphabet::gsmTurkish,
                                  Alphabet::gsmSpanish, Alphabet::gsmPortuguese,
                                  Alphabet::latin1,     Alphabet::ucs2};

// As takeUtf8 reads it and appendUtf8 writes it: the same if it was UTF-8, and UTF-8 in any case.
std::string cleaned(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t before = text.size();
        smpp::appendUtf8(out, smpp::takeUtf8(text));
        require(text.size() < before && before - text.size() <= 4,
                "a character takes 1 to 4 octets");
    }
    return out;
}

std::string decoded(nio::ByteView octets, Alphabet alphabet) {
    if (alphabet == Alphabet::ucs2) return smpp::fromUcs2(octets);
    if (alphabet == Alphabet::latin1) return smpp::fromLatin1(octets);
    return smpp::fromGsm0338(octets, smpp::languageOf(alphabet));
}

void throughOctets(std::string_view text) {
    for (const Alphabet alphabet : alphabets) {
        const auto octets = smpp::encoded(text, alphabet);
        if (octets)
            require(decoded(octets.value(), alphabet) == text, "there and back is the same");
    }
    const bool isUtf8 = cleaned(text) == text;
    require(smpp::encoded(text, Alphabet::ucs2).ok() == isUtf8, "UCS2 has all there is in UTF-8");
}

// A septet takes seven bits, and the first one behind a header begins at a multiple of seven.
std::size_t bitsOf(std::size_t header, std::size_t body, Alphabet alphabet) {
    const bool isGsm = alphabet < Alphabet::ascii;
    return isGsm ? (header * 8 + 6) / 7 * 7 + body * 7 : (header + body) * 8;
}

void cut(std::string_view utf8, const std::vector<Alphabet>& choice, smpp::Marking marking) {
    const auto segments = smpp::segmentsOf(utf8, choice, marking, 0xA7B8);
    if (!segments) return;
    std::string joined;
    for (const smpp::Segment& part : segments.value().parts) {
        const nio::ByteView octets(part.message);
        const std::size_t header =
            segments.value().haveHeader ? smpp::UserDataHeader(octets).size() : 0;
        const nio::ByteView body = octets.subspan(header);
        const Alphabet alphabet = segments.value().alphabet;
        require(bitsOf(header, body.size(), alphabet) <= 140 * 8, "a part is a message");
        joined += decoded(body, alphabet);
    }
    require(joined == utf8, "parts that are joined are the text");
}

void run(fuzz::FuzzInput input) {
    const std::string text(input.rest());
    const nio::Bytes octets = nio::copyOf(nio::asBytes(text));

    const std::string utf8 = cleaned(text);
    require(cleaned(utf8) == utf8, "UTF-8 stays as it is");
    const std::string fromUcs2 = smpp::fromUcs2(octets);
    require(cleaned(fromUcs2) == fromUcs2, "UCS2 becomes UTF-8");
    throughOctets(fromUcs2);
    throughOctets(text);

    const std::string fromGsm = smpp::fromGsm0338(octets);
    require(cleaned(fromGsm) == fromGsm, "GSM becomes UTF-8");
    for (const char c : smpp::escaped(text)) {
        require(static_cast<unsigned char>(c) >= ' ' && c != 0x7F,
                "escaped has no control characters");
    }

    for (const smpp::Marking marking :
         {smpp::Marking::header8, smpp::Marking::header16, smpp::Marking::sar}) {
        cut(utf8, {Alphabet::gsm, Alphabet::ucs2}, marking);
        for (const Alphabet alphabet : alphabets) cut(text, {alphabet}, marking);
    }

    const std::string exact = smpp::exactKey(text);
    require(smpp::exactKey(exact) == exact, "a key is its own key");
    for (const std::string& other : smpp::alternativeKeys(text)) {
        require(other != exact, "no alternative is the exact key");
        require(smpp::exactKey(other) == other, "an alternative is a key");
    }
}

const fuzz::FuzzTarget target("smpp_text", run);

}  // namespace
