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

TEST(Printable, KeepsWhatIsWanted) {
    EXPECT_EQ(printable("a\r\nb", "\n"), "a?\nb");
}

}  // namespace
