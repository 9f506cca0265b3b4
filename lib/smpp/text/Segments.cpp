#include <smpp/text/Segments.h>

#include <algorithm>
#include <initializer_list>

namespace smpp {

namespace {

constexpr std::size_t userDataOctets = 140;
constexpr std::size_t mostParts = 255;

constexpr nio::Byte gsmEscape{0x1B};

std::uint8_t dataCodingOf(Alphabet alphabet) {
    switch (alphabet) {
        case Alphabet::ascii: return 1;
        case Alphabet::latin1: return 3;
        case Alphabet::octets: return 4;
        case Alphabet::ucs2: return 8;
        default: return 0;
    }
}

bool isGsm(Alphabet alphabet) {
    return dataCodingOf(alphabet) == 0;
}

std::size_t octetsOfUnit(Alphabet alphabet) {
    return alphabet == Alphabet::ucs2 ? 2 : 1;
}

// Octets of text beside a header; GSM has a septet in each.
std::size_t roomBeside(std::size_t headerOctets, Alphabet alphabet) {
    if (headerOctets >= userDataOctets) return 0;
    const std::size_t octets = userDataOctets - headerOctets;
    // Fill bits make the text begin at a septet: what is left of one is lost.
    if (isGsm(alphabet)) return octets * 8 / 7;
    return octets - octets % octetsOfUnit(alphabet);
}

bool dividesCharacter(nio::ByteView octets, std::size_t end, Alphabet alphabet) {
    if (end == octets.size()) return false;
    if (alphabet == Alphabet::ucs2) return (octets[end - 2] & nio::Byte{0xFC}) == nio::Byte{0xD8};
    return isGsm(alphabet) && octets[end - 1] == gsmEscape;
}

// `most` is a multiple of a unit. Beside a header there may be room for half a character only.
std::vector<nio::ByteView> divided(nio::ByteView octets, std::size_t most, Alphabet alphabet) {
    const std::size_t unit = octetsOfUnit(alphabet);
    std::vector<nio::ByteView> pieces;
    while (!octets.empty()) {
        std::size_t end = std::min(most, octets.size());
        if (end > unit && dividesCharacter(octets, end, alphabet)) end -= unit;
        pieces.push_back(octets.first(end));
        octets = octets.subspan(end);
    }
    return pieces;
}

// The element comes first: some receivers look for concatenation in that place only.
nio::Bytes withElement(nio::ByteView header, std::initializer_list<std::size_t> element) {
    const nio::ByteView others = header.empty() ? header : header.subspan(1);
    nio::Bytes octets{static_cast<nio::Byte>(element.size() + others.size())};
    for (const std::size_t octet : element) octets.push_back(static_cast<nio::Byte>(octet));
    octets.insert(octets.end(), others.begin(), others.end());
    return octets;
}

nio::Bytes marked(nio::ByteView header, Marking marking, const Concatenation& part) {
    if (marking == Marking::header16)
        return withElement(header, {UserDataElement::reference16, 4, part.reference >> 8,
                                    part.reference & 0xFF, part.total, part.part});
    return withElement(
        header, {UserDataElement::reference8, 3, part.reference & 0xFF, part.total, part.part});
}

bool hasConcatenation(nio::ByteView header) {
    for (const UserDataElement& element : UserDataHeader(header))
        if (element.identifier == UserDataElement::reference8 ||
            element.identifier == UserDataElement::reference16)
            return true;
    return false;
}

Segment segmentOf(nio::ByteView text, nio::ByteView header, Marking marking,
                  const Concatenation& part) {
    const bool isMarked = part.total > 1;
    Segment segment;
    if (isMarked && marking == Marking::sar) segment.sar = part;
    segment.message =
        isMarked && marking != Marking::sar ? marked(header, marking, part) : nio::copyOf(header);
    segment.message.insert(segment.message.end(), text.begin(), text.end());
    return segment;
}

// `alphabet` says how much room there is, `characters` where they end.
nio::Result<Segments> segmentsOf(nio::ByteView octets, Alphabet alphabet, Alphabet characters,
                                 nio::ByteView header, Marking marking, std::uint16_t reference) {
    std::size_t room = roomBeside(header.size(), alphabet);
    std::vector<nio::ByteView> pieces{octets};
    if (octets.size() > room) {
        if (hasConcatenation(header))
            return nio::Error(std::errc::invalid_argument, "the header has concatenation already");
        room = roomBeside(marked(header, marking, {}).size(), alphabet);
        room -= room % octetsOfUnit(characters);
        if (room == 0) return nio::Error(std::errc::message_size, "the header leaves no room");
        pieces = divided(octets, room, characters);
    }
    if (pieces.size() > mostParts)
        return nio::Error(std::errc::message_size, "more than 255 parts");
    Segments segments;
    segments.alphabet = alphabet;
    segments.dataCoding = dataCodingOf(alphabet);
    segments.haveHeader = !header.empty() || (pieces.size() > 1 && marking != Marking::sar);
    segments.units = octets.size() / octetsOfUnit(alphabet);
    segments.left = (room - pieces.back().size()) / octetsOfUnit(alphabet);
    Concatenation part{reference, static_cast<unsigned>(pieces.size()), 0};
    for (const nio::ByteView piece : pieces) {
        ++part.part;
        segments.parts.push_back(segmentOf(piece, header, marking, part));
    }
    return segments;
}

std::size_t charactersOf(std::string_view utf8) {
    std::size_t characters = 0;
    for (const char octet : utf8) characters += static_cast<signed char>(octet) >= -0x40;
    return characters;
}

bool isWhole(nio::ByteView header) {
    const UserDataHeader read(header);
    std::size_t size = 1;
    for (const UserDataElement& element : read) size += 2 + element.value.size();
    return read.size() == header.size() && size == header.size();
}

}  // namespace

nio::Result<Segments> segmentsOf(std::string_view utf8, const std::vector<Alphabet>& alphabets,
                                 Marking marking, std::uint16_t reference) {
    nio::Result<nio::Bytes> octets = nio::Error(std::errc::invalid_argument, "no alphabet");
    for (const Alphabet alphabet : alphabets) {
        octets = encoded(utf8, alphabet);
        if (!octets) continue;
        const std::uint8_t language = languageOf(alphabet);
        const nio::Bytes header =
            language == 0 ? nio::Bytes{}
                          : withElement({}, {UserDataElement::singleShift, 1, language});
        auto segments = segmentsOf(octets.value(), alphabet, alphabet, header, marking, reference);
        if (segments) segments.value().characters = charactersOf(utf8);
        return segments;
    }
    return octets.error();
}

nio::Result<Segments> binarySegmentsOf(nio::ByteView octets, nio::ByteView header, Marking marking,
                                       std::uint16_t reference, std::uint8_t dataCoding) {
    if (!header.empty() && !isWhole(header))
        return nio::Error(std::errc::invalid_argument, "the user data header is malformed");
    if (header.size() > userDataOctets)
        return nio::Error(std::errc::message_size, "the header leaves no room");
    const Alphabet characters = dataCoding == 0   ? Alphabet::gsm
                                : dataCoding == 8 ? Alphabet::ucs2
                                                  : Alphabet::octets;
    auto segments = segmentsOf(octets, Alphabet::octets, characters, header, marking, reference);
    if (!segments) return segments;
    segments.value().characters = octets.size();
    segments.value().dataCoding = dataCoding;
    return segments;
}

}  // namespace smpp
