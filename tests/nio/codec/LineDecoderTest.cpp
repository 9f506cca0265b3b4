#include "CodecTesting.h"

#include <nio/codec/LineDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

TEST(LineDecoder, GivesALineOnceItsNewlineHasArrived) {
    LineDecoder decoder;
    expectNeedsMore(decoder, "");
    expectNeedsMore(decoder, "hel");
    expectNeedsMore(decoder, "hello");
    const Decoded decoded = decoder.decode(asBytes("hello\nnext"));
    ASSERT_EQ(decoded.kind, Decoded::Kind::packet);
    EXPECT_EQ(asText(decoded.packet), "hello");
    EXPECT_EQ(decoded.consumed, 6u);
}

TEST(LineDecoder, GivesEveryLineOfOneRead) {
    LineDecoder decoder;
    expectPackets(decoder, "one\ntwo\r\nthree\n", {"one", "two", "three"});
}

TEST(LineDecoder, GivesEmptyLines) {
    LineDecoder decoder;
    expectPackets(decoder, "\n\r\n\n", {"", "", ""});
}

TEST(LineDecoder, DropsOneCarriageReturnBeforeTheNewline) {
    LineDecoder decoder;
    expectPackets(decoder, "one\r\n", {"one"});
    expectPackets(decoder, "one\r\r\n", {"one\r"});
}

TEST(LineDecoder, KeepsCarriageReturnsElsewhere) {
    LineDecoder decoder;
    expectPackets(decoder, "\rone\rtwo\n", {"\rone\rtwo"});
}

TEST(LineDecoder, DropsACarriageReturnThatCameBeforeItsNewline) {
    LineDecoder decoder;
    expectNeedsMore(decoder, "one\r");
    expectPackets(decoder, "one\r\n", {"one"});
}

TEST(LineDecoder, TakesALineOfExactlyTheMaximumWithEitherLineEnd) {
    LineDecoder decoder(3);
    expectNeedsMore(decoder, "one");
    expectPackets(decoder, "one\n", {"one"});
    expectNeedsMore(decoder, "two\r");
    expectPackets(decoder, "two\r\n", {"two"});
    expectRoundTrip(decoder, "six");
}

TEST(LineDecoder, RefusesOneByteOverTheMaximumBeforeTheNewline) {
    for (std::string_view stream : {"four", "four\n", "four\r\n", "one\r\r", "one\r\r\n"}) {
        LineDecoder decoder(3);
        expectBroken(decoder, stream, Errc::packetTooLong);
    }
}

TEST(LineDecoder, RefusesALineWhoseCarriageReturnWasNotItsEnd) {
    LineDecoder decoder(3);
    expectNeedsMore(decoder, "one\r");
    expectBroken(decoder, "one\rx", Errc::packetTooLong);
}

TEST(LineDecoder, TakesOnlyEmptyLinesWithAMaximumOfZero) {
    LineDecoder decoder(0);
    expectPackets(decoder, "\n\r\n", {"", ""});
    expectBroken(decoder, "x", Errc::packetTooLong);
}

TEST(LineDecoder, HasAMaximumOf64KiBUnlessToldOtherwise) {
    EXPECT_EQ(LineDecoder().maximumPacketBytes(), 65'536u);
    EXPECT_EQ(LineDecoder(7).maximumPacketBytes(), 7u);
    LineDecoder decoder;
    expectRoundTrip(decoder, std::string(65'536, 'x'));
    expectBroken(decoder, std::string(65'537, 'x'), Errc::packetTooLong);
}

TEST(LineDecoder, PutsANewlineBehindWhatItEncodes) {
    LineDecoder decoder;
    expectEncoded(decoder, "hello", "hello\n");
    expectEncoded(decoder, "", "\n");
}

TEST(LineDecoder, GivesBackEveryByteButTheNewline) {
    std::string line;
    for (int byte = 0; byte < 256; ++byte) {
        if (byte != '\n') line.push_back(static_cast<char>(byte));
    }
    LineDecoder decoder;
    expectRoundTrip(decoder, line);
    expectRoundTrip(decoder, "");
}

TEST(LineDecoder, RefusesToEncodeWhatWouldComeBackAsAnotherLine) {
    LineDecoder decoder;
    for (std::string_view line : {"\n", "a\nb", "a\n", "\nb", "\r", "a\r", "a\r\r", "a\r\n"}) {
        expectRefused(decoder, line, Errc::notEncodable);
    }
}

TEST(LineDecoder, RefusesToEncodeOneByteOverTheMaximum) {
    expectRefused(LineDecoder(3), "four", Errc::packetTooLong);
}

TEST(LineDecoder, DoesNotLookAgainAtBytesItHasSeen) {
    LineDecoder decoder;
    expectNeedsMore(decoder, "seen");
    // Breaks the promise that bytes do not change: a second look would end the line early.
    const Decoded decoded = decoder.decode(asBytes("\n\n\n\nnew\n"));
    ASSERT_EQ(decoded.kind, Decoded::Kind::packet);
    EXPECT_EQ(decoded.packet.size(), 7u);
}

TEST(LineDecoder, LooksAtTheNextLineFromItsStart) {
    LineDecoder decoder;
    expectNeedsMore(decoder, "longer");
    expectPackets(decoder, "longer\ns\n", {"longer", "s"});
}

}  // namespace
}  // namespace nio
