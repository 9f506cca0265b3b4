#include "CodecTesting.h"

#include <stdexcept>

#include <nio/codec/DelimiterDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

TEST(DelimiterDecoder, EndsAPacketAtItsDelimiter) {
    DelimiterDecoder decoder("||");
    expectPackets(decoder, "one||||t|wo||", {"one", "", "t|wo"});
}

TEST(DelimiterDecoder, FindsADelimiterThatArrivesInParts) {
    DelimiterDecoder decoder("abc");
    Feeder feeder(decoder);
    for (const char* piece : {"xa", "b", "cya", "babc", "a"}) feeder.feed(piece);
    EXPECT_EQ(feeder.packets(), (std::vector<std::string>{"x", "yab"}));
    EXPECT_EQ(feeder.tail(), "a");
}

TEST(DelimiterDecoder, APacketOverTheMaximumIsAnError) {
    DelimiterDecoder whole("--", 4);
    expectPackets(whole, "four--", {"four"});
    expectBroken(whole, "fives--", Errc::packetTooLong);
    DelimiterDecoder endless("--", 4);
    expectNeedsMore(endless, "four-");
    DelimiterDecoder tooLong("--", 4);
    expectBroken(tooLong, "fives-", Errc::packetTooLong);
}

TEST(DelimiterDecoder, RefusesToSendWhatWouldNotComeBack) {
    const DelimiterDecoder decoder("aab", 4);
    expectEncoded(decoder, "xaa", "xaaaab");
    expectRefused(decoder, "aabx", Errc::notEncodable);
    expectRefused(decoder, "xxxxx", Errc::packetTooLong);
    const DelimiterDecoder twice("aa", 4);
    expectRefused(twice, "xa", Errc::notEncodable);
    expectEncoded(twice, "ax", "axaa");
}

TEST(DelimiterDecoder, AnEmptyDelimiterIsRefused) {
    EXPECT_THROW(DelimiterDecoder(""), std::invalid_argument);
    EXPECT_THROW(delimited(""), std::invalid_argument);
}

}  // namespace
}  // namespace nio
