#include "common/Printable.h"

#include <gtest/gtest.h>

namespace {

using apps::printable;

TEST(Printable, LeavesLettersOfAllLanguagesAlone) {
    EXPECT_EQ(printable("2 µs – „Grüße“ ~"), "2 µs – „Grüße“ ~");
    EXPECT_EQ(printable(""), "");
}

TEST(Printable, ReplacesControlCharacters) {
    EXPECT_EQ(printable("a\nb\x1b[2Jc\x7f"), "a?b?[2Jc?");
    EXPECT_EQ(printable(std::string("\0\x1f", 2)), "??");
}

TEST(Printable, ReplacesThoseOfTwoBytesToo) {
    EXPECT_EQ(printable("\u0080-\u009b2J-\u009f-\u00a0"), "?-?2J-?-\u00a0");
}

TEST(Printable, ReplacesWhatIsNoUtf8) {
    EXPECT_EQ(printable("/tmp/\xff\xfe"), "/tmp/\ufffd\ufffd");
    EXPECT_EQ(printable("caf\xe9"), "caf\ufffd") << "Latin-1";
    EXPECT_EQ(printable("\xc0\x80"), "\ufffd\ufffd") << "overlong";
    EXPECT_EQ(printable("\xe0\x80\x80"), "\ufffd\ufffd\ufffd") << "overlong";
    EXPECT_EQ(printable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd") << "a surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd") << "too large";
    EXPECT_EQ(printable("\xe2\x82"), "\ufffd\ufffd") << "cut off";
    EXPECT_EQ(printable("\xf0\x9f\x98\x80 \xe2\x82\xac"), "\xf0\x9f\x98\x80 \xe2\x82\xac");
}

TEST(Printable, KeepsWhatIsWanted) {
    EXPECT_EQ(printable("a\r\nb", "\n"), "a?\nb");
}

}  // namespace
