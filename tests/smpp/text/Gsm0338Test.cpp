#include <smpp/text/Gsm0338.h>

#include <array>

#include "TextTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// The table of 3GPP TS 23.038, 6.2.1, by septet. 0x1B is the escape.
constexpr std::array<const char*, 128> table{
    "@", "£", "$",  "¥", "è", "é", "ù", "ì", "ò", "Ç", "\n", "Ø", "ø", "\r", "Å", "å",
    "Δ", "_", "Φ",  "Γ", "Λ", "Ω", "Π", "Ψ", "Σ", "Θ", "Ξ",  "",  "Æ", "æ",  "ß", "É",
    " ", "!", "\"", "#", "¤", "%", "&", "'", "(", ")", "*",  "+", ",", "-",  ".", "/",
    "0", "1", "2",  "3", "4", "5", "6", "7", "8", "9", ":",  ";", "<", "=",  ">", "?",
    "¡", "A", "B",  "C", "D", "E", "F", "G", "H", "I", "J",  "K", "L", "M",  "N", "O",
    "P", "Q", "R",  "S", "T", "U", "V", "W", "X", "Y", "Z",  "Ä", "Ö", "Ñ",  "Ü", "§",
    "¿", "a", "b",  "c", "d", "e", "f", "g", "h", "i", "j",  "k", "l", "m",  "n", "o",
    "p", "q", "r",  "s", "t", "u", "v", "w", "x", "y", "z",  "ä", "ö", "ñ",  "ü", "à"};

// 6.2.1.1.
const std::pair<int, const char*> extensions[] = {
    {0x0A, "\f"}, {0x14, "^"}, {0x28, "{"}, {0x29, "}"}, {0x2F, "\\"},
    {0x3C, "["},  {0x3D, "~"}, {0x3E, "]"}, {0x40, "|"}, {0x65, "€"}};

TEST(Gsm0338, ReadsTheWholeTable) {
    for (int septet = 0; septet < 128; ++septet) {
        if (septet == 0x1B) continue;
        EXPECT_EQ(fromGsm0338(octetsOf({septet})), table[static_cast<std::size_t>(septet)])
            << septet;
    }
}

TEST(Gsm0338, WritesTheWholeTable) {
    for (int septet = 0; septet < 128; ++septet) {
        if (septet == 0x1B) continue;
        EXPECT_EQ(toGsm0338(table[static_cast<std::size_t>(septet)]), octetsOf({septet})) << septet;
    }
}

TEST(Gsm0338, ReadsAndWritesTheExtensionTable) {
    for (const auto& [septet, text] : extensions) {
        EXPECT_EQ(fromGsm0338(octetsOf({0x1B, septet})), text);
        EXPECT_EQ(toGsm0338(text), octetsOf({0x1B, septet}));
    }
}

TEST(Gsm0338, ReadsAnUnknownExtensionAsTheMainTable) {
    EXPECT_EQ(fromGsm0338(octetsOf({0x1B, 0x41, 0x41})), "AA");
    EXPECT_EQ(fromGsm0338(octetsOf({0x1B, 0x1B, 0x65})), " e");
}

TEST(Gsm0338, ReadsWhatIsNoSeptetAsTheReplacementCharacter) {
    EXPECT_EQ(fromGsm0338(octetsOf({0x41, 0x80, 0xFF, 0x42})), "A\uFFFD\uFFFDB");
    EXPECT_EQ(fromGsm0338(octetsOf({0x1B, 0x80})), "\uFFFD");
    EXPECT_EQ(fromGsm0338(octetsOf({0x41, 0x1B})), "A\uFFFD");
    EXPECT_EQ(fromGsm0338({}), "");
}

TEST(Gsm0338, DoesNotWriteWhatItHasNot) {
    EXPECT_FALSE(toGsm0338("naïve"));
    EXPECT_FALSE(toGsm0338("ç"));
    EXPECT_FALSE(toGsm0338("\x1B"));
    EXPECT_FALSE(toGsm0338("\xFF"));
    EXPECT_FALSE(toGsm0338("A\0"s));
}

}  // namespace
}  // namespace smpp
