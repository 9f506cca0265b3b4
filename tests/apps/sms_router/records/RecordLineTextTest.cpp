#include "sms_router/records/RecordLine.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::string_view_literals;

std::string textOf(std::string_view text) {
    std::string out;
    appendJsonText(out, text);
    return out;
}

TEST(JsonText, IsTheTextInQuotes) {
    EXPECT_EQ(textOf(""), "\"\"");
    EXPECT_EQ(textOf("+49 170/1234567~"), "\"+49 170/1234567~\"");
}

TEST(JsonText, EscapesWhatMustBe) {
    EXPECT_EQ(textOf("a\"b"), R"("a\"b")");
    EXPECT_EQ(textOf("a\\b"), R"("a\\b")");
    EXPECT_EQ(textOf("a\nb\x01\0c"sv), R"("a\nb\u0001\u0000c")");
}

TEST(JsonText, KeepsUtf8) {
    EXPECT_EQ(textOf("\xC3\xA9\xE2\x82\xAC"), "\"\xC3\xA9\xE2\x82\xAC\"");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
    EXPECT_EQ(textOf("a\xFF\x62"), "\"a\xEF\xBF\xBD\x62\"");
    EXPECT_EQ(textOf("a\xC3"), "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace router
