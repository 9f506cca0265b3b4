#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <smpp/text/Alphabets.h>
#include <smpp/text/Segments.h>
#include <smpp/text/UserDataHeader.h>

#include "TextTesting.h"

namespace smpp {

namespace {

using namespace smpp::smpptest;
using testing::ElementsAre;

constexpr std::uint8_t reference = 0xA7;
constexpr std::size_t header = 6;

std::string repeated(std::size_t count, std::string_view character) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += character;
    return text;
}

// What a phone shows of the parts; each is checked to be whole and to fit into 140 octets.
std::string shown(const Segments& segments) {
    std::string text;
    const bool isGsm = segments.dataCoding == 0;
    for (const nio::Bytes& part : segments.parts) {
        const std::size_t skipped =
            segments.haveHeader() ? UserDataHeader(nio::ByteView(part)).size() : 0;
        const nio::ByteView body = nio::ByteView(part).subspan(skipped);
        const std::size_t headerSeptets = (skipped * 8 + 6) / 7;
        EXPECT_LE(isGsm ? headerSeptets + body.size() : part.size(), isGsm ? 160U : 140U);
        const std::string piece = isGsm ? fromGsm0338(body) : fromUcs2(body);
        EXPECT_EQ(piece.find("\xEF\xBF\xBD"), piece.npos) << "a divided character";
        text += piece;
    }
    return text;
}

std::vector<std::size_t> sizesOf(const Segments& segments) {
    std::vector<std::size_t> sizes;
    for (const nio::Bytes& part : segments.parts) sizes.push_back(part.size());
    return sizes;
}

using Sizes = std::vector<std::size_t>;

TEST(Segments, AShortTextIsOneMessageWithoutAHeader) {
    const Segments segments = segmentsOf("a€", reference).value();
    EXPECT_EQ(segments.dataCoding, 0);
    EXPECT_FALSE(segments.haveHeader());
    EXPECT_THAT(segments.parts, ElementsAre(octetsOf({0x61, 0x1B, 0x65})));
}

TEST(Segments, AnEmptyTextIsOneEmptyMessage) {
    const Segments segments = segmentsOf("", reference).value();
    EXPECT_EQ(segments.dataCoding, 0);
    EXPECT_EQ(sizesOf(segments), Sizes{0});
}

TEST(Segments, OneCharacterOutsideGsmMakesItUcs2) {
    const Segments segments = segmentsOf("aЖ", reference).value();
    EXPECT_EQ(segments.dataCoding, 8);
    EXPECT_THAT(segments.parts, ElementsAre(octetsOf({0x00, 0x61, 0x04, 0x16})));
}

TEST(Segments, SplitsGsmAbove160SeptetsInto153) {
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(160, "a"), reference)), Sizes{160});
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(161, "a"), reference)),
              (Sizes{header + 153, header + 8}));
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(306, "a"), reference)),
              (Sizes{header + 153, header + 153}));
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(307, "a"), reference)),
              (Sizes{header + 153, header + 153, header + 1}));
}

TEST(Segments, SplitsUcs2Above70UnitsInto67) {
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(70, "Ж"), reference)), Sizes{140});
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(71, "Ж"), reference)),
              (Sizes{header + 134, header + 8}));
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(134, "Ж"), reference)),
              (Sizes{header + 134, header + 134}));
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(135, "Ж"), reference)),
              (Sizes{header + 134, header + 134, header + 2}));
}

TEST(Segments, AnEscapeSequenceCountsTwice) {
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(80, "€"), reference)), Sizes{160});
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(81, "€"), reference)),
              (Sizes{header + 152, header + 10}));
}

TEST(Segments, ASurrogatePairCountsTwice) {
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(35, "😀"), reference)), Sizes{140});
    EXPECT_EQ(sizesOf(*segmentsOf(repeated(36, "😀"), reference)),
              (Sizes{header + 132, header + 12}));
}

TEST(Segments, EachPartSaysWhichItIs) {
    const Segments segments = segmentsOf(repeated(400, "a"), reference).value();
    ASSERT_EQ(segments.parts.size(), 3U);
    for (unsigned i = 0; i < 3; ++i) {
        const TextSample sample(0x04, 0x40, segments.dataCoding, nio::asText(segments.parts[i]));
        const auto part = concatenationOf(sample.pdu());
        ASSERT_TRUE(part);
        EXPECT_EQ(part->reference, reference);
        EXPECT_EQ(part->total, 3U);
        EXPECT_EQ(part->part, i + 1);
    }
}

TEST(Segments, NoEscapeSequenceIsDividedAnywhere) {
    for (std::size_t length = 0; length <= 320; ++length) {
        const std::string text = repeated(length, "a") + "€" + repeated(320 - length, "b");
        EXPECT_EQ(shown(*segmentsOf(text, reference)), text) << length;
    }
}

TEST(Segments, NoSurrogatePairIsDividedAnywhere) {
    for (std::size_t length = 0; length <= 140; ++length) {
        const std::string text = repeated(length, "a") + "😀" + repeated(140 - length, "Ж");
        EXPECT_EQ(shown(*segmentsOf(text, reference)), text) << length;
    }
}

TEST(Segments, TextsOfEveryLengthAreShownAsTheyWere) {
    for (std::size_t length = 0; length <= 500; ++length) {
        for (const char* const character : {"a", "€", "Ж", "😀"}) {
            const std::string text = "x" + repeated(length, character);
            EXPECT_EQ(shown(*segmentsOf(text, reference)), text) << length << character;
        }
    }
}

TEST(Segments, MoreThan255PartsAreRefused) {
    const auto partsOf = [](std::size_t count, std::string_view character) {
        const auto segments = segmentsOf(repeated(count, character), reference);
        return segments ? segments->parts.size() : 0;
    };
    EXPECT_EQ(partsOf(255 * 153, "a"), 255U);
    EXPECT_EQ(partsOf(255 * 153 + 1, "a"), 0U);
    EXPECT_EQ(partsOf(255 * 76, "€"), 255U);
    EXPECT_EQ(partsOf(255 * 76 + 1, "€"), 0U);
    EXPECT_EQ(partsOf(255 * 67, "Ж"), 255U);
    EXPECT_EQ(partsOf(255 * 67 + 1, "Ж"), 0U);
}

TEST(Segments, WhatIsNoUtf8IsRefused) {
    EXPECT_FALSE(segmentsOf("a\xFF", reference));
}

}  // namespace

}  // namespace smpp
