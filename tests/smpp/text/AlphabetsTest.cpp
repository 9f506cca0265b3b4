#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <smpp/text/Alphabets.h>

#include "TextTesting.h"

namespace smpp {

namespace {

std::vector<char32_t> charactersOf(std::string_view text) {
    std::vector<char32_t> characters;
    while (!text.empty()) characters.push_back(takeUtf8(text));
    return characters;
}

using Characters = std::vector<char32_t>;

constexpr char32_t bad = 0xFFFD;

TEST(Utf8, TakesCharactersOfOneToFourOctets) {
    EXPECT_EQ(charactersOf("A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
              (Characters{0x41, 0xE9, 0x20AC, 0x1F600}));
}

TEST(Utf8, AppendsCharactersOfOneToFourOctets) {
    std::string text;
    for (const char32_t character : {0x41, 0xE9, 0x20AC, 0x1F600}) appendUtf8(text, character);
    EXPECT_EQ(text, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(Utf8, TakesTheSmallestAndTheLargestOfEachSize) {
    EXPECT_EQ(charactersOf("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF"),
              (Characters{0x7F, 0x80, 0x7FF, 0x800, 0xFFFF}));
    EXPECT_EQ(charactersOf("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), (Characters{0x10000, 0x10FFFF}));
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndBeyondUnicode) {
    EXPECT_EQ(charactersOf("\xC0\x80"), (Characters{bad, bad}));
    EXPECT_EQ(charactersOf("\xE0\x9F\xBF"), (Characters{bad, bad, bad}));
    EXPECT_EQ(charactersOf("\xF0\x8F\xBF\xBF"), (Characters{bad, bad, bad, bad}));
    EXPECT_EQ(charactersOf("\xED\xA0\x80"), (Characters{bad, bad, bad}));
    EXPECT_EQ(charactersOf("\xF4\x90\x80\x80"), (Characters{bad, bad, bad, bad}));
}

TEST(Utf8, GoesOnBehindWhatIsCut) {
    EXPECT_EQ(charactersOf("\xE2\x82"), (Characters{bad, bad}));
    EXPECT_EQ(charactersOf("\xC3"
                           "A"),
              (Characters{bad, 0x41}));
    EXPECT_EQ(charactersOf("\xBF"
                           "A"),
              (Characters{bad, 0x41}));
}

TEST(Utf8, AppendsTheReplacementForWhatIsNoCharacter) {
    std::string text;
    appendUtf8(text, 0xD800);
    appendUtf8(text, 0x110000);
    EXPECT_EQ(text, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace

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
