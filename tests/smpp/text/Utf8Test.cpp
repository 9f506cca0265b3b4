#include <smpp/text/Utf8.h>

#include <vector>

#include <gtest/gtest.h>

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
}  // namespace smpp
