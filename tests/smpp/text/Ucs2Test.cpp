#include <smpp/text/Ucs2.h>

#include "TextTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

TEST(Ucs2, ReadsTheHighOctetFirst) {
    EXPECT_EQ(fromUcs2(octetsOf({0x00, 0x41, 0x20, 0xAC, 0x04, 0x16})), "A€Ж");
}

TEST(Ucs2, WritesTheHighOctetFirst) {
    EXPECT_EQ(toUcs2("A€Ж"), octetsOf({0x00, 0x41, 0x20, 0xAC, 0x04, 0x16}));
}

TEST(Ucs2, ReadsAndWritesSurrogatePairs) {
    EXPECT_EQ(fromUcs2(octetsOf({0xD8, 0x3D, 0xDE, 0x00})), "\U0001F600");
    EXPECT_EQ(toUcs2("\U0001F600"), octetsOf({0xD8, 0x3D, 0xDE, 0x00}));
    EXPECT_EQ(fromUcs2(octetsOf({0xDB, 0xFF, 0xDF, 0xFF})), "\U0010FFFF");
    EXPECT_EQ(toUcs2("\U00010000"), octetsOf({0xD8, 0x00, 0xDC, 0x00}));
}

TEST(Ucs2, ReadsHalfAPairAsTheReplacementCharacter) {
    EXPECT_EQ(fromUcs2(octetsOf({0xD8, 0x3D, 0x00, 0x41})), "\uFFFDA");
    EXPECT_EQ(fromUcs2(octetsOf({0xDE, 0x00, 0x00, 0x41})), "\uFFFDA");
    EXPECT_EQ(fromUcs2(octetsOf({0xD8, 0x3D})), "\uFFFD");
    EXPECT_EQ(fromUcs2(octetsOf({0xD8, 0x3D, 0xDE})), "\uFFFD\uFFFD");
}

TEST(Ucs2, ReadsAnOctetLeftOverAsTheReplacementCharacter) {
    EXPECT_EQ(fromUcs2(octetsOf({0x00, 0x41, 0x00})), "A\uFFFD");
    EXPECT_EQ(fromUcs2({}), "");
}

TEST(Ucs2, WritesWhatIsNoUtf8AsTheReplacementCharacter) {
    EXPECT_EQ(toUcs2("\xC3"), octetsOf({0xFF, 0xFD}));
}

}  // namespace
}  // namespace smpp
