#include <gtest/gtest.h>

#include <smpp/text/Segments.h>

#include "TextTesting.h"

namespace smpp {

namespace {

using namespace smpp::smpptest;

const nio::Bytes ports = octetsOf({6, 0x05, 4, 0x0B, 0x84, 0x23, 0xF0});

// Each octet is its own number.
nio::Bytes counted(std::size_t count) {
    nio::Bytes octets;
    for (std::size_t i = 0; i < count; ++i) octets.push_back(static_cast<nio::Byte>(i & 0xFF));
    return octets;
}

nio::Result<Segments> cutOctets(std::size_t count, const nio::Bytes& header,
                                Marking marking = Marking::header8) {
    return binarySegmentsOf(counted(count), header, marking, 0x1234);
}

nio::Bytes headerOfPart(const Segments& segments, std::size_t index) {
    const nio::ByteView message(segments.parts.at(index).message);
    return nio::copyOf(message.first(UserDataHeader(message).size()));
}

nio::Bytes bodies(const Segments& segments) {
    nio::Bytes joined;
    for (const Segment& part : segments.parts) {
        const nio::ByteView message(part.message);
        EXPECT_LE(message.size(), 140U);
        const auto body = message.subspan(segments.haveHeader ? UserDataHeader(message).size() : 0);
        joined.insert(joined.end(), body.begin(), body.end());
    }
    return joined;
}

TEST(BinarySegments, OfUpTo140OctetsAreOneMessage) {
    const Segments segments = cutOctets(140, {}).value();
    EXPECT_EQ(segments.alphabet, Alphabet::octets);
    EXPECT_EQ(segments.dataCoding, 4);
    EXPECT_FALSE(segments.haveHeader);
    ASSERT_EQ(segments.parts.size(), 1U);
    EXPECT_EQ(segments.parts[0].message, counted(140));
    EXPECT_EQ(segments.units, 140U);
    EXPECT_EQ(segments.characters, 140U);
    EXPECT_EQ(segments.left, 0U);
}

// The octets of each part behind its header.
std::vector<std::size_t> sizesOf(const nio::Bytes& octets, std::uint8_t coding,
                                 Marking marking = Marking::header8,
                                 const nio::Bytes& header = {}) {
    const Segments segments = binarySegmentsOf(octets, header, marking, 1, coding).value();
    EXPECT_EQ(segments.dataCoding, coding);
    EXPECT_EQ(bodies(segments), octets);
    std::vector<std::size_t> sizes;
    for (const Segment& part : segments.parts) {
        const nio::ByteView message(part.message);
        sizes.push_back(message.size() - UserDataHeader(message).size());
    }
    return sizes;
}

TEST(BinarySegments, AreSplitBetweenCharacters) {
    using Sizes = std::vector<std::size_t>;
    nio::Bytes gsm(200, nio::Byte{'x'});
    gsm[133] = nio::Byte{0x1B};
    EXPECT_EQ(sizesOf(gsm, 0), (Sizes{133, 67}));
    EXPECT_EQ(sizesOf(gsm, 4), (Sizes{134, 66}));
    nio::Bytes ucs2(200, nio::Byte{0x04});
    EXPECT_EQ(sizesOf(ucs2, 8), (Sizes{134, 66}));
    EXPECT_EQ(sizesOf(ucs2, 8, Marking::header16), (Sizes{132, 68}));
    ucs2[132] = nio::Byte{0xD8};
    ucs2[134] = nio::Byte{0xDC};
    EXPECT_EQ(sizesOf(ucs2, 8), (Sizes{132, 68}));
}

TEST(BinarySegments, AreSplitThoughTheyEndWithinACharacter) {
    using Sizes = std::vector<std::size_t>;
    EXPECT_EQ(sizesOf(nio::Bytes(141, nio::Byte{0x1B}), 0), (Sizes{133, 8}));
    EXPECT_EQ(sizesOf(nio::Bytes(141, nio::Byte{0xD8}), 8), (Sizes{132, 9}));
    // Room for one octet in each part.
    nio::Bytes header(134, nio::Byte{0});
    header[0] = nio::Byte{133};
    header[1] = nio::Byte{0x70};
    header[2] = nio::Byte{131};
    EXPECT_EQ(sizesOf(nio::Bytes(8, nio::Byte{0x1B}), 0, Marking::header8, header), Sizes(8, 1));
    EXPECT_FALSE(binarySegmentsOf(nio::Bytes(8, nio::Byte{0xD8}), header, Marking::header8, 1, 8));
}

TEST(BinarySegments, BeginWithTheHeaderOfTheCaller) {
    const Segments segments = cutOctets(133, ports).value();
    EXPECT_TRUE(segments.haveHeader);
    ASSERT_EQ(segments.parts.size(), 1U);
    EXPECT_EQ(segments.parts[0].message.size(), 140U);
    EXPECT_EQ(headerOfPart(segments, 0), ports);
    EXPECT_EQ(bodies(segments), counted(133));
}

TEST(BinarySegments, AreSplitWithoutAHeaderOfTheCaller) {
    const Segments segments = cutOctets(141, {}).value();
    EXPECT_TRUE(segments.haveHeader);
    ASSERT_EQ(segments.parts.size(), 2U);
    EXPECT_EQ(headerOfPart(segments, 0), octetsOf({5, 0, 3, 0x34, 2, 1}));
    EXPECT_EQ(segments.parts[0].message.size(), 140U);
    EXPECT_EQ(bodies(segments), counted(141));
    EXPECT_EQ(segments.left, 127U);
}

TEST(BinarySegments, AddConcatenationToTheHeaderOfTheCaller) {
    const Segments eight = cutOctets(134, ports).value();
    ASSERT_EQ(eight.parts.size(), 2U);
    EXPECT_EQ(headerOfPart(eight, 1),
              octetsOf({11, 0, 3, 0x34, 2, 2, 0x05, 4, 0x0B, 0x84, 0x23, 0xF0}));
    EXPECT_EQ(bodies(eight), counted(134));
    const Segments sixteen = cutOctets(300, ports, Marking::header16).value();
    ASSERT_EQ(sixteen.parts.size(), 3U);
    EXPECT_EQ(headerOfPart(sixteen, 2),
              octetsOf({12, 8, 4, 0x12, 0x34, 3, 3, 0x05, 4, 0x0B, 0x84, 0x23, 0xF0}));
    EXPECT_EQ(bodies(sixteen), counted(300));
}

TEST(BinarySegments, LeaveTheHeaderAsItIsWithSar) {
    const Segments segments = cutOctets(134, ports, Marking::sar).value();
    ASSERT_EQ(segments.parts.size(), 2U);
    EXPECT_EQ(headerOfPart(segments, 1), ports);
    EXPECT_EQ(segments.parts[0].message.size(), 135U);
    ASSERT_TRUE(segments.parts[1].sar);
    EXPECT_EQ(segments.parts[1].sar->reference, 0x1234U);
    EXPECT_EQ(segments.parts[1].sar->part, 2U);
    EXPECT_EQ(bodies(segments), counted(134));
}

TEST(BinarySegments, KeepAHeaderWithoutElements) {
    const Segments one = cutOctets(139, octetsOf({0})).value();
    EXPECT_TRUE(one.haveHeader);
    EXPECT_EQ(headerOfPart(one, 0), octetsOf({0}));
    const Segments two = cutOctets(140, octetsOf({0})).value();
    EXPECT_EQ(headerOfPart(two, 0), octetsOf({5, 0, 3, 0x34, 2, 1}));
}

TEST(BinarySegments, RefuseAMalformedHeader) {
    for (const nio::Bytes& header :
         {octetsOf({5, 0x05, 4, 0x0B, 0x84, 0x23, 0xF0}), octetsOf({7, 0x05, 4, 0x0B, 0x84, 0x23}),
          octetsOf({2, 0x05, 4}), octetsOf({1, 0x05}), octetsOf({5, 0x70, 0, 0x05, 4, 0x0B})}) {
        const auto segments = cutOctets(1, header);
        ASSERT_FALSE(segments);
        EXPECT_TRUE(segments.error().is(std::errc::invalid_argument));
        EXPECT_EQ(segments.error().context(), "the user data header is malformed");
    }
}

TEST(BinarySegments, KeepConcatenationOfTheCallerInOneMessage) {
    const nio::Bytes header = octetsOf({5, 0, 3, 9, 2, 1});
    EXPECT_EQ(headerOfPart(cutOctets(134, header).value(), 0), header);
}

TEST(BinarySegments, RefuseToConcatenateTwice) {
    const nio::Bytes headers[] = {octetsOf({5, 0, 3, 9, 2, 1}), octetsOf({6, 8, 4, 0, 9, 2, 1})};
    for (const nio::Bytes& header : headers) {
        for (const Marking marking : {Marking::header8, Marking::sar}) {
            const auto segments = cutOctets(135, header, marking);
            ASSERT_FALSE(segments);
            EXPECT_EQ(segments.error().context(), "the header has concatenation already");
        }
    }
}

// A header of this many octets.
nio::Bytes filled(std::size_t size) {
    nio::Bytes header(size);
    header[0] = static_cast<nio::Byte>(size - 1);
    header[1] = nio::Byte{0x70};
    header[2] = static_cast<nio::Byte>(size - 3);
    return header;
}

TEST(BinarySegments, RefuseAHeaderThatLeavesNoRoom) {
    EXPECT_EQ(cutOctets(0, filled(140)).value().left, 0U);
    EXPECT_EQ(cutOctets(6, filled(134)).value().parts.size(), 1U);
    EXPECT_EQ(cutOctets(7, filled(134)).value().parts.size(), 7U);
    for (const auto& refused : {cutOctets(0, filled(141)), cutOctets(6, filled(135))}) {
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(std::errc::message_size));
    }
}

TEST(BinarySegments, OfMoreThan255PartsAreRefused) {
    EXPECT_EQ(cutOctets(255 * 134, {}).value().parts.size(), 255U);
    EXPECT_FALSE(cutOctets(255 * 134 + 1, {}));
}

}  // namespace

}  // namespace smpp
