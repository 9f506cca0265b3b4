#include "echo_client/payload/WrongAnswer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace load {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::ptrdiff_t linesOf(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

TEST(HexDump, ShowsSixteenBytesALineAndTheTextBesideThem) {
    EXPECT_EQ(hexDump(nio::asBytes("0123456789abcdef\x01hello\n")),
              "00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n"
              "00000010  01 68 65 6c 6c 6f 0a                              |.hello.|\n");
}

TEST(HexDump, ShowsWhatIsNoTextAsDots) {
    const nio::Bytes bytes{nio::Byte{0x1f}, nio::Byte{' '}, nio::Byte{'~'}, nio::Byte{0x7f},
                           nio::Byte{0xff}};
    EXPECT_THAT(hexDump(bytes), HasSubstr("1f 20 7e 7f ff "));
    EXPECT_THAT(hexDump(bytes), EndsWith("  |. ~..|\n"));
}

TEST(HexDump, OfNothingIsNothing) {
    EXPECT_EQ(hexDump({}), "");
}

TEST(HexDump, ShowsAllUpToItsLimit) {
    const std::string text = hexDump(nio::Bytes(longestHexDump));
    EXPECT_EQ(linesOf(text), 4096);
    EXPECT_THAT(text, Not(HasSubstr("...  bytes")));
}

TEST(HexDump, SaysHowMuchItLeavesOut) {
    const std::string text = hexDump(nio::Bytes(longestHexDump + 5));
    EXPECT_EQ(linesOf(text), 4097);
    EXPECT_THAT(text, EndsWith("|\n... 5 bytes\n"));
}

TEST(HexDump, ShowsTheBytesRoundTheOneThatMatters) {
    nio::Bytes bytes(1'000'000);
    bytes[500'000] = nio::Byte{0xab};
    const std::string text = hexDump(bytes, 500'000);
    EXPECT_THAT(text, StartsWith("... 467232 bytes\n00072120  00"));
    EXPECT_THAT(text, HasSubstr("0007a120  ab 00"));
    EXPECT_EQ(linesOf(text), 4098);
    EXPECT_THAT(text, EndsWith("... 467232 bytes\n"));
}

TEST(HexDump, GoesToTheEndIfTheLastByteMatters) {
    nio::Bytes bytes(100'001);
    bytes.back() = nio::Byte{0xab};
    EXPECT_THAT(hexDump(bytes, 100'000), EndsWith("000186a0  ab                      "
                                                  "                          |.|\n"));
}

}  // namespace
}  // namespace load
