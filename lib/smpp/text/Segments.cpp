#include <smpp/text/Segments.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <smpp/text/Alphabets.h>

namespace smpp {

namespace {

constexpr std::size_t mostParts = 255;
constexpr std::uint8_t ucs2 = 8;
constexpr nio::Byte gsmEscape{0x1B};

// Octets of text: GSM has a septet in each, UCS2 a unit in two.
struct Capacity {
    std::size_t whole;  // of a message without a header
    std::size_t part;
};

constexpr Capacity gsmCapacity{160, 153};
constexpr Capacity ucs2Capacity{140, 134};

// `octets` come from encoded(): an escape or a high surrogate always has a successor.
bool dividesCharacter(nio::ByteView octets, std::size_t end, std::uint8_t dataCoding) {
    if (dataCoding == ucs2) return (octets[end - 2] & nio::Byte{0xFC}) == nio::Byte{0xD8};
    return octets[end - 1] == gsmEscape;
}

std::vector<nio::ByteView> divided(nio::ByteView octets, std::size_t most,
                                   std::uint8_t dataCoding) {
    const std::size_t unit = dataCoding == ucs2 ? 2 : 1;
    std::vector<nio::ByteView> pieces;
    while (!octets.empty()) {
        std::size_t end = std::min(most, octets.size());
        if (dividesCharacter(octets, end, dataCoding)) end -= unit;
        pieces.push_back(octets.first(end));
        octets = octets.subspan(end);
    }
    return pieces;
}

nio::Bytes partOf(nio::ByteView text, std::uint8_t reference, std::size_t total,
                  std::size_t number) {
    // Five octets follow: element 0 (concatenation, 8-bit reference) with a value of three.
    nio::Bytes part{nio::Byte{5},
                    nio::Byte{0},
                    nio::Byte{3},
                    nio::Byte{reference},
                    static_cast<nio::Byte>(total),
                    static_cast<nio::Byte>(number)};
    part.insert(part.end(), text.begin(), text.end());
    return part;
}

}  // namespace

std::optional<Segments> segmentsOf(std::string_view utf8, std::uint8_t reference) {
    Segments segments;
    nio::Result<nio::Bytes> encodedText = encoded(utf8, Alphabet::gsm);
    segments.dataCoding = encodedText ? 0 : ucs2;
    if (!encodedText) encodedText = encoded(utf8, Alphabet::ucs2);
    if (!encodedText) return std::nullopt;
    nio::Bytes octets = std::move(encodedText).value();
    const Capacity& capacity = segments.dataCoding == ucs2 ? ucs2Capacity : gsmCapacity;
    if (octets.size() <= capacity.whole) {
        segments.parts.push_back(std::move(octets));
        return segments;
    }
    const auto pieces = divided(octets, capacity.part, segments.dataCoding);
    if (pieces.size() > mostParts) return std::nullopt;
    for (const nio::ByteView piece : pieces) {
        const std::size_t number = segments.parts.size() + 1;
        segments.parts.push_back(partOf(piece, reference, pieces.size(), number));
    }
    return segments;
}

}  // namespace smpp
