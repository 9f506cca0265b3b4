#include <smpp/text/MessageText.h>

#include "TextTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

std::string shown(std::uint8_t coding, std::string_view message, std::uint8_t esmClass = 0) {
    return messageText(TextSample(0x04, esmClass, coding, message).pdu());
}

TEST(MessageText, IsReadByDataCoding) {
    EXPECT_EQ(shown(0, "\x00\x02\x1B\x65"s), "@$€");
    EXPECT_EQ(shown(1, "$10"), "$10");
    EXPECT_EQ(shown(3, "\xE9t\xE9"), "été");
    EXPECT_EQ(shown(8, "\x04\x16\x00\x41"s), "ЖA");
}

TEST(MessageText, ReadsTheGsmMessageClassGroups) {
    EXPECT_EQ(shown(0xF0, "\x00"s), "@");
    EXPECT_EQ(shown(0xF5, "\x80"s), "\\x80");
    EXPECT_EQ(shown(0xC8, "\x00"s), "@");
    EXPECT_EQ(shown(0xE0, "\x20\xAC"s), "€");
}

TEST(MessageText, ShowsOctetsOfWhatItDoesNotRead) {
    EXPECT_EQ(shown(4, "A\x00\xFF"s), "A\\x00\\xff");
    EXPECT_EQ(shown(5, "\x93\xFA"), "\\x93\\xfa");
}

TEST(MessageText, IsOneLine) {
    EXPECT_EQ(shown(0, "one\ntwo\rthree"), "one\\ntwo\\rthree");
    EXPECT_EQ(shown(3, "a\tb\\c\x07\x85"), "a\\tb\\\\c\\x07\\x85");
    EXPECT_EQ(shown(8, "\x20\x2E\x20\x28"s), "\\u202e\\u2028");
}

TEST(MessageText, ShowsWhatTurnsTheDirectionAsANumber) {
    EXPECT_EQ(shown(8, "\x20\x0E\x20\x0F"s), "\\u200e\\u200f");
    EXPECT_EQ(shown(8, "\x20\x66\x20\x69\x20\x6A"s), "\\u2066\\u2069\u206A");
}

TEST(MessageText, LeavesTheUserDataHeaderOut) {
    EXPECT_EQ(shown(0, "\x05\x00\x03\x01\x02\x01Hello"s, 0x40), "Hello");
}

TEST(MessageText, IsReadWithTheShiftTableOfItsHeader) {
    EXPECT_EQ(shown(0, "\x03\x24\x01\x01\x1B\x73\x1B\x65"s, 0x40), "ş€");
    EXPECT_EQ(shown(0, "\x08\x00\x03\x01\x02\x01\x24\x01\x03\x1B\x7B"s, 0x40), "ã");
    EXPECT_EQ(shown(0, "\x06\x24\x01\x03\x24\x01\x01\x1B\x73"s, 0x40), "ş");
    EXPECT_EQ(shown(0, "\x04\x24\x02\x01\x01\x1B\x73"s, 0x40), "s");
    EXPECT_EQ(shown(3, "\x03\x24\x01\x01s"s, 0x40), "s");
}

TEST(MessageText, IsReadFromAMessagePayload) {
    const TextSample sample(0x103, 0, 3, "", "\x04\x24\x00\x02\xE9!"s);
    EXPECT_EQ(messageText(sample.pdu()), "é!");
}

TEST(MessageText, IsCutAtTheMaximum) {
    const TextSample sample(0x04, 0, 8, "\x00\x41\x00\x42\x00\x43"s);
    EXPECT_EQ(messageText(sample.pdu(), 6), "ABC");
    EXPECT_EQ(messageText(sample.pdu(), 5), "AB…");
}

TEST(MessageText, EscapesWhatIsNoUtf8) {
    EXPECT_EQ(escaped("a\xFF\n"), "a\uFFFD\\n");
}

}  // namespace
}  // namespace smpp
