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
    EXPECT_EQ(encoded("Aéÿ", Alphabet::latin1).value(), octetsOf({0x41, 0xE9, 0xFF}));
    EXPECT_FALSE(encoded("Ā", Alphabet::latin1));
}

TEST(Ascii, WritesWhatItHas) {
    EXPECT_EQ(encoded("A\x7F", Alphabet::ascii).value(), octetsOf({0x41, 0x7F}));
    EXPECT_FALSE(encoded("\u0080", Alphabet::ascii));
}

TEST(Octets, HaveNoCharacters) {
    EXPECT_FALSE(encoded("A", Alphabet::octets));
}

}  // namespace

namespace {

using namespace smpp::smpptest;

nio::Bytes inUcs2(std::string_view text) {
    return encoded(text, Alphabet::ucs2).value();
}

TEST(Ucs2, ReadsTheHighOctetFirst) {
    EXPECT_EQ(fromUcs2(octetsOf({0x00, 0x41, 0x20, 0xAC, 0x04, 0x16})), "A€Ж");
}

TEST(Ucs2, WritesTheHighOctetFirst) {
    EXPECT_EQ(inUcs2("A€Ж"), octetsOf({0x00, 0x41, 0x20, 0xAC, 0x04, 0x16}));
}

TEST(Ucs2, ReadsAndWritesSurrogatePairs) {
    EXPECT_EQ(fromUcs2(octetsOf({0xD8, 0x3D, 0xDE, 0x00})), "\U0001F600");
    EXPECT_EQ(inUcs2("\U0001F600"), octetsOf({0xD8, 0x3D, 0xDE, 0x00}));
    EXPECT_EQ(fromUcs2(octetsOf({0xDB, 0xFF, 0xDF, 0xFF})), "\U0010FFFF");
    EXPECT_EQ(inUcs2("\U00010000"), octetsOf({0xD8, 0x00, 0xDC, 0x00}));
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

TEST(Ucs2, WritesAReplacementCharacterOfTheText) {
    EXPECT_EQ(inUcs2("\uFFFD"), octetsOf({0xFF, 0xFD}));
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

nio::Bytes inGsm(std::string_view text) {
    return encoded(text, Alphabet::gsm).value();
}

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
        EXPECT_EQ(inGsm(table[static_cast<std::size_t>(septet)]), octetsOf({septet})) << septet;
    }
}

TEST(Gsm0338, ReadsAndWritesTheExtensionTable) {
    for (const auto& [septet, text] : extensions) {
        EXPECT_EQ(fromGsm0338(octetsOf({0x1B, septet})), text);
        EXPECT_EQ(inGsm(text), octetsOf({0x1B, septet}));
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
    for (const std::string& text : {"naïve"s, "ç"s, "\x1B"s, "A\0"s})
        EXPECT_FALSE(encoded(text, Alphabet::gsm)) << text;
}

struct NationalCase {
    Alphabet alphabet;
    std::uint8_t language;
    std::vector<std::pair<int, const char*>> additions;
};

// A.2.1 to A.2.3, without what is in 6.2.1.1 too.
const NationalCase nationalCases[] = {
    {Alphabet::gsmTurkish,
     1,
     {{0x47, "Ğ"}, {0x49, "İ"}, {0x53, "Ş"}, {0x63, "ç"}, {0x67, "ğ"}, {0x69, "ı"}, {0x73, "ş"}}},
    {Alphabet::gsmSpanish,
     2,
     {{0x09, "ç"},
      {0x41, "Á"},
      {0x49, "Í"},
      {0x4F, "Ó"},
      {0x55, "Ú"},
      {0x61, "á"},
      {0x69, "í"},
      {0x6F, "ó"},
      {0x75, "ú"}}},
    {Alphabet::gsmPortuguese,
     3,
     {{0x05, "ê"}, {0x09, "ç"}, {0x0B, "Ô"}, {0x0C, "ô"}, {0x0E, "Á"}, {0x0F, "á"}, {0x1F, "Ê"},
      {0x41, "À"}, {0x49, "Í"}, {0x4F, "Ó"}, {0x55, "Ú"}, {0x5B, "Ã"}, {0x5C, "Õ"}, {0x61, "Â"},
      {0x69, "í"}, {0x6F, "ó"}, {0x75, "ú"}, {0x7B, "ã"}, {0x7C, "õ"}, {0x7F, "â"}}}};

TEST(NationalShift, ReadsAndWritesItsCharacters) {
    for (const NationalCase& national : nationalCases) {
        EXPECT_EQ(languageOf(national.alphabet), national.language);
        for (const auto& [septet, text] : national.additions) {
            const nio::Bytes octets = octetsOf({0x1B, septet});
            EXPECT_EQ(encoded(text, national.alphabet).value(), octets) << text;
            EXPECT_EQ(fromGsm0338(octets, national.language), text);
        }
    }
}

TEST(NationalShift, HasTheDefaultExtensionTable) {
    for (const NationalCase& national : nationalCases) {
        for (const auto& [septet, text] : extensions) {
            EXPECT_EQ(encoded(text, national.alphabet).value(), octetsOf({0x1B, septet}));
            EXPECT_EQ(fromGsm0338(octetsOf({0x1B, septet}), national.language), text);
        }
    }
}

TEST(NationalShift, PortugueseReadsGreekAndWritesItInOneSeptet) {
    const int septets[] = {0x12, 0x13, 0x15, 0x16, 0x17, 0x18, 0x19};
    const std::string_view greek = "ΦΓΩΠΨΣΘ";
    std::string shown;
    for (const int septet : septets) shown += fromGsm0338(octetsOf({0x1B, septet}), 3);
    EXPECT_EQ(shown, greek);
    EXPECT_EQ(encoded(greek, Alphabet::gsmPortuguese).value().size(), 7u);
}

TEST(NationalShift, IsOfItsLanguageOnly) {
    EXPECT_FALSE(encoded("ş", Alphabet::gsmSpanish));
    EXPECT_FALSE(encoded("ş", Alphabet::gsm));
    EXPECT_EQ(fromGsm0338(octetsOf({0x1B, 0x73})), "s");
    EXPECT_EQ(fromGsm0338(octetsOf({0x1B, 0x73, 0x1B, 0x65}), 4), "s€");
    for (const Alphabet alphabet : {Alphabet::gsm, Alphabet::latin1, Alphabet::ucs2})
        EXPECT_EQ(languageOf(alphabet), 0);
}

TEST(Encoded, NamesTheFirstCharacterThatIsMissing) {
    const auto text = encoded("aé€жЖ", Alphabet::gsm);
    ASSERT_FALSE(text);
    EXPECT_TRUE(text.error().is(std::errc::invalid_argument));
    EXPECT_EQ(text.error().context(), "U+0436 at octet 6 is not in the alphabet");
    EXPECT_EQ(encoded("😀", Alphabet::gsm).error().context(),
              "U+1F600 at octet 0 is not in the alphabet");
}

TEST(Encoded, NamesTheFirstOctetThatIsNoUtf8) {
    for (const Alphabet alphabet :
         {Alphabet::gsm, Alphabet::gsmTurkish, Alphabet::ascii, Alphabet::latin1, Alphabet::ucs2}) {
        const auto text = encoded("ab\xC3(\xFF", alphabet);
        ASSERT_FALSE(text);
        EXPECT_TRUE(text.error().is(std::errc::illegal_byte_sequence));
        EXPECT_EQ(text.error().context(), "octet 2 is not UTF-8");
    }
    EXPECT_EQ(encoded("\xED\xA0\x80", Alphabet::ucs2).error().context(), "octet 0 is not UTF-8");
}

}  // namespace

}  // namespace smpp
