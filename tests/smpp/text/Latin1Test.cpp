#include <smpp/text/Latin1.h>

#include "TextTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

TEST(Latin1, ReadsEachOctetAsTheCharacterOfThatNumber) {
    EXPECT_EQ(fromLatin1(octetsOf({0x41, 0xE9, 0xFF, 0x80})), "Aéÿ\u0080");
    EXPECT_EQ(fromLatin1({}), "");
}

TEST(Latin1, WritesWhatItHas) {
    EXPECT_EQ(toLatin1("Aéÿ"), octetsOf({0x41, 0xE9, 0xFF}));
    EXPECT_FALSE(toLatin1("€"));
    EXPECT_FALSE(toLatin1("\xE9"));
}

}  // namespace
}  // namespace smpp
