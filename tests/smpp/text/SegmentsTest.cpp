#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <smpp/text/Alphabets.h>
#include <smpp/text/Segments.h>
#include <smpp/text/UserDataHeader.h>

#include "TextTesting.h"

namespace smpp {

namespace {

using namespace smpp::smpptest;

constexpr std::uint16_t reference = 0xA7B8;
constexpr Marking markings[] = {Marking::header8, Marking::header16, Marking::sar};

std::string repeated(std::size_t count, std::string_view character) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += character;
    return text;
}

Segments cut(std::string_view text, const std::vector<Alphabet>& alphabets,
             Marking marking = Marking::header8) {
    return segmentsOf(text, alphabets, marking, reference).value();
}

Segments automatic(std::string_view text, Marking marking = Marking::header8) {
    return cut(text, {Alphabet::gsm, Alphabet::ucs2}, marking);
}

std::string refused(std::string_view text, const std::vector<Alphabet>& alphabets) {
    return segmentsOf(text, alphabets, Marking::header8, reference).error().context();
}

std::size_t headerOf(const Segments& segments, const Segment& part) {
    return segments.haveHeader ? UserDataHeader(nio::ByteView(part.message)).size() : 0;
}

// What a phone shows of a part.
std::string shown(const Segments& segments, const Segment& part) {
    const nio::ByteView body = nio::ByteView(part.message).subspan(headerOf(segments, part));
    switch (segments.alphabet) {
        case Alphabet::ucs2: return fromUcs2(body);
        case Alphabet::latin1: return fromLatin1(body);
        default: return fromGsm0338(body, languageOf(segments.alphabet));
    }
}

// Octets of user data that the network carries: GSM as packed septets, behind fill bits; with the
// concatenation that an SMSC makes of the sar_* parameters.
std::size_t carriedOctets(const Segments& segments, const Segment& part) {
    const std::size_t written = headerOf(segments, part);
    const std::size_t body = part.message.size() - written;
    const std::size_t header = written + (part.sar ? (written == 0 ? 6 : 5) : 0);
    if (segments.dataCoding != 0) return header + body;
    return (((header * 8 + 6) / 7 + body) * 7 + 7) / 8;
}

// Each part is checked to be whole and to fit into 140 octets.
std::string shown(const Segments& segments) {
    std::string text;
    for (const Segment& part : segments.parts) {
        EXPECT_LE(carriedOctets(segments, part), 140U);
        const std::string piece = shown(segments, part);
        EXPECT_EQ(piece.find("\xEF\xBF\xBD"), piece.npos) << "a divided character";
        text += piece;
    }
    return text;
}

// Units of text.
std::vector<std::size_t> sizesOf(const Segments& segments) {
    const std::size_t unit = segments.alphabet == Alphabet::ucs2 ? 2 : 1;
    std::vector<std::size_t> sizes;
    for (const Segment& part : segments.parts)
        sizes.push_back((part.message.size() - headerOf(segments, part)) / unit);
    return sizes;
}

using Sizes = std::vector<std::size_t>;

TEST(Segments, AShortTextIsOneMessageWithoutAHeader) {
    for (const Marking marking : markings) {
        const Segments segments = automatic("a€", marking);
        EXPECT_EQ(segments.alphabet, Alphabet::gsm);
        EXPECT_EQ(segments.dataCoding, 0);
        EXPECT_FALSE(segments.haveHeader);
        ASSERT_EQ(segments.parts.size(), 1U);
        EXPECT_EQ(segments.parts[0].message, octetsOf({0x61, 0x1B, 0x65}));
        EXPECT_FALSE(segments.parts[0].sar);
    }
}

TEST(Segments, AnEmptyTextIsOneEmptyMessage) {
    const Segments segments = automatic("");
    EXPECT_EQ(segments.dataCoding, 0);
    EXPECT_EQ(sizesOf(segments), Sizes{0});
    EXPECT_EQ(segments.left, 160U);
}

TEST(Segments, TheFirstAlphabetThatHasAllIsTaken) {
    const std::vector<Alphabet> all{Alphabet::gsm, Alphabet::gsmSpanish, Alphabet::gsmTurkish,
                                    Alphabet::ucs2};
    EXPECT_EQ(cut("a€", all).alphabet, Alphabet::gsm);
    EXPECT_EQ(cut("aç", all).alphabet, Alphabet::gsmSpanish);
    EXPECT_EQ(cut("açş", all).alphabet, Alphabet::gsmTurkish);
    EXPECT_EQ(cut("áş", all).alphabet, Alphabet::ucs2);
    EXPECT_EQ(cut("a", {Alphabet::ucs2, Alphabet::gsm}).alphabet, Alphabet::ucs2);
}

TEST(Segments, SayTheirDataCoding) {
    EXPECT_EQ(cut("a", {Alphabet::gsmTurkish}).dataCoding, 0);
    EXPECT_EQ(cut("a", {Alphabet::ascii}).dataCoding, 1);
    EXPECT_EQ(cut("a", {Alphabet::latin1}).dataCoding, 3);
    EXPECT_EQ(cut("a", {Alphabet::ucs2}).dataCoding, 8);
}

TEST(Segments, ANationalShiftNeedsAHeader) {
    const Segments segments = cut("aş", {Alphabet::gsmTurkish});
    EXPECT_TRUE(segments.haveHeader);
    ASSERT_EQ(segments.parts.size(), 1U);
    EXPECT_EQ(segments.parts[0].message, octetsOf({3, 0x24, 1, 1, 0x61, 0x1B, 0x73}));
}

struct Border {
    Alphabet alphabet;
    Marking marking;
    std::size_t whole;  // units of a message
    std::size_t part;   // units of one of several
};

const Border borders[] = {
    {Alphabet::gsm, Marking::header8, 160, 153},
    {Alphabet::gsm, Marking::header16, 160, 152},
    {Alphabet::gsm, Marking::sar, 160, 153},
    {Alphabet::gsmTurkish, Marking::header8, 155, 149},
    {Alphabet::gsmSpanish, Marking::header16, 155, 148},
    {Alphabet::gsmPortuguese, Marking::sar, 155, 149},
    {Alphabet::latin1, Marking::header8, 140, 134},
    {Alphabet::latin1, Marking::header16, 140, 133},
    {Alphabet::latin1, Marking::sar, 140, 134},
    {Alphabet::ucs2, Marking::header8, 70, 67},
    {Alphabet::ucs2, Marking::header16, 70, 66},
    {Alphabet::ucs2, Marking::sar, 70, 67},
};

TEST(Segments, AreSplitAtEachBorder) {
    for (const auto& [alphabet, marking, whole, part] : borders) {
        const auto sizes = [&, a = alphabet, m = marking](std::size_t count) {
            const Segments segments = cut(repeated(count, "a"), {a}, m);
            EXPECT_EQ(shown(segments), repeated(count, "a"));
            return sizesOf(segments);
        };
        EXPECT_EQ(sizes(whole - 1), Sizes{whole - 1});
        EXPECT_EQ(sizes(whole), Sizes{whole});
        EXPECT_EQ(sizes(whole + 1), (Sizes{part, whole + 1 - part}));
        EXPECT_EQ(sizes(2 * part), (Sizes{part, part}));
        EXPECT_EQ(sizes(2 * part + 1), (Sizes{part, part, 1}));
        EXPECT_EQ(sizes(3 * part), (Sizes{part, part, part}));
    }
}

TEST(Segments, TellHowManyUnitsAreLeft) {
    for (const auto& [alphabet, marking, whole, part] : borders) {
        const auto left = [a = alphabet, m = marking](std::size_t count) {
            const Segments segments = cut(repeated(count, "a"), {a}, m);
            EXPECT_EQ(segments.units, count);
            EXPECT_EQ(segments.characters, count);
            return segments.left;
        };
        EXPECT_EQ(left(1), whole - 1);
        EXPECT_EQ(left(whole), 0U);
        EXPECT_EQ(left(whole + 1), 2 * part - whole - 1);
        EXPECT_EQ(left(2 * part), 0U);
        EXPECT_EQ(left(2 * part + 1), part - 1);
    }
}

TEST(Segments, AnEscapeSequenceCountsTwice) {
    EXPECT_EQ(sizesOf(automatic(repeated(80, "€"))), Sizes{160});
    const Segments segments = automatic(repeated(81, "€"));
    EXPECT_EQ(sizesOf(segments), (Sizes{152, 10}));
    EXPECT_EQ(segments.characters, 81U);
    EXPECT_EQ(segments.units, 162U);
    EXPECT_EQ(segments.left, 143U);
}

TEST(Segments, ASurrogatePairCountsTwice) {
    EXPECT_EQ(sizesOf(automatic(repeated(35, "😀"))), Sizes{70});
    const Segments segments = automatic(repeated(36, "😀"));
    EXPECT_EQ(sizesOf(segments), (Sizes{66, 6}));
    EXPECT_EQ(segments.characters, 36U);
    EXPECT_EQ(segments.units, 72U);
    EXPECT_EQ(segments.left, 61U);
}

TEST(Segments, EachPartSaysWhichItIs) {
    for (const Marking marking : {Marking::header8, Marking::header16}) {
        const Segments segments = automatic(repeated(400, "a"), marking);
        EXPECT_TRUE(segments.haveHeader);
        ASSERT_EQ(segments.parts.size(), 3U);
        for (unsigned i = 0; i < 3; ++i) {
            EXPECT_FALSE(segments.parts[i].sar);
            const auto message = nio::asText(segments.parts[i].message);
            const auto part = concatenationOf(TextSample(0x04, 0x40, 0, message).pdu());
            ASSERT_TRUE(part);
            EXPECT_EQ(part->reference, marking == Marking::header8 ? 0xB8U : 0xA7B8U);
            EXPECT_EQ(part->total, 3U);
            EXPECT_EQ(part->part, i + 1);
        }
    }
}

TEST(Segments, SarPartsHaveTheirNumbersAndNoHeader) {
    const Segments segments = automatic(repeated(400, "a"), Marking::sar);
    EXPECT_FALSE(segments.haveHeader);
    ASSERT_EQ(segments.parts.size(), 3U);
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(segments.parts[i].message[0], nio::Byte{0x61});
        const auto& sar = segments.parts[i].sar;
        ASSERT_TRUE(sar);
        EXPECT_EQ(sar->reference, reference);
        EXPECT_EQ(sar->total, 3U);
        EXPECT_EQ(sar->part, i + 1);
    }
}

TEST(Segments, TheShiftSharesTheHeaderOfAPart) {
    const auto secondHeader = [](Marking marking) {
        const Segments segments = cut(repeated(200, "ş"), {Alphabet::gsmTurkish}, marking);
        EXPECT_TRUE(segments.haveHeader);
        const Segment& part = segments.parts.at(1);
        return nio::copyOf(nio::ByteView(part.message).first(headerOf(segments, part)));
    };
    EXPECT_EQ(secondHeader(Marking::header8), octetsOf({8, 0, 3, 0xB8, 3, 2, 0x24, 1, 1}));
    EXPECT_EQ(secondHeader(Marking::header16), octetsOf({9, 8, 4, 0xA7, 0xB8, 3, 2, 0x24, 1, 1}));
    EXPECT_EQ(secondHeader(Marking::sar), octetsOf({3, 0x24, 1, 1}));
}

TEST(Segments, NoEscapeSequenceIsDividedAnywhere) {
    for (const Marking marking : markings) {
        for (std::size_t length = 130; length <= 320; ++length) {
            const std::string text = repeated(length, "a") + "€ş" + repeated(320 - length, "b");
            EXPECT_EQ(shown(cut(text, {Alphabet::gsmTurkish}, marking)), text) << length;
        }
    }
}

TEST(Segments, NoSurrogatePairIsDividedAnywhere) {
    for (const Marking marking : markings) {
        for (std::size_t length = 0; length <= 140; ++length) {
            const std::string text = repeated(length, "a") + "😀" + repeated(140 - length, "Ж");
            EXPECT_EQ(shown(automatic(text, marking)), text) << length;
        }
    }
}

TEST(Segments, MoreThan255PartsAreRefused) {
    const auto partsOf = [](std::size_t count, std::string_view character, Marking marking) {
        const auto segments = segmentsOf(repeated(count, character),
                                         {Alphabet::gsm, Alphabet::ucs2}, marking, reference);
        if (segments) return segments.value().parts.size();
        EXPECT_TRUE(segments.error().is(std::errc::message_size));
        return std::size_t{0};
    };
    for (const Marking marking : markings) {
        const std::size_t lost = marking == Marking::header16 ? 1 : 0;
        EXPECT_EQ(partsOf(255 * (153 - lost), "a", marking), 255U);
        EXPECT_EQ(partsOf(255 * (153 - lost) + 1, "a", marking), 0U);
        EXPECT_EQ(partsOf(255 * 76, "€", marking), 255U);
        EXPECT_EQ(partsOf(255 * 76 + 1, "€", marking), 0U);
        EXPECT_EQ(partsOf(255 * (67 - lost), "Ж", marking), 255U);
        EXPECT_EQ(partsOf(255 * (67 - lost) + 1, "Ж", marking), 0U);
    }
}

TEST(Segments, ARefusalNamesTheFirstCharacterThatIsMissing) {
    EXPECT_EQ(refused("aşЖ", {Alphabet::gsm}), "U+015F at octet 1 is not in the alphabet");
    EXPECT_EQ(refused("aşЖ", {Alphabet::gsm, Alphabet::gsmTurkish}),
              "U+0416 at octet 3 is not in the alphabet");
    EXPECT_EQ(refused("a", {}), "no alphabet");
}

TEST(Segments, WhatIsNoUtf8IsRefused) {
    EXPECT_EQ(refused("a\xFF", {Alphabet::gsm, Alphabet::ucs2}), "octet 1 is not UTF-8");
}

TEST(Segments, RandomTextsAreShownAsTheyWere) {
    const std::vector<std::vector<const char*>> mixtures{{"a", "b", "€", "[", "@"},
                                                         {"a", "ş", "ğ", "€", "İ"},
                                                         {"a", "ã", "õ", "Ê", "Ω"},
                                                         {"a", "Ж", "😀", "é", "\U0010FFFF"}};
    const std::vector<Alphabet> alphabets{Alphabet::gsm, Alphabet::gsmTurkish,
                                          Alphabet::gsmPortuguese, Alphabet::ucs2};
    std::mt19937 random(20240607);  // NOLINT(bugprone-random-generator-seed)
    for (int i = 0; i < 400; ++i) {
        const auto& mixture = mixtures[random() % mixtures.size()];
        std::string text;
        for (std::size_t length = random() % 700; length > 0; --length)
            text += mixture[random() % mixture.size()];
        for (const Marking marking : markings)
            EXPECT_EQ(shown(cut(text, alphabets, marking)), text);
    }
}

}  // namespace

}  // namespace smpp
