#include "CodecTesting.h"

#include <nio/codec/StxEtxDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

TEST(StxEtxDecoder, GivesThePayloadBetweenStxAndEtx) {
    StxEtxDecoder decoder;
    const Decoded decoded = decoder.decode(asBytes("\x02hello\x03\x02next"));
    ASSERT_EQ(decoded.kind, Decoded::Kind::packet);
    EXPECT_EQ(asText(decoded.packet), "hello");
    EXPECT_EQ(decoded.consumed, 7u);
}

TEST(StxEtxDecoder, GivesEveryPacketOfOneRead) {
    StxEtxDecoder decoder;
    expectPackets(decoder, "\x02one\x03\x02two\x03\x02three\x03", {"one", "two", "three"});
}

TEST(StxEtxDecoder, GivesAnEmptyPacket) {
    StxEtxDecoder decoder;
    expectPackets(decoder, "\x02\x03\x02\x03", {"", ""});
}

TEST(StxEtxDecoder, NeedsMoreUntilTheEtxHasArrived) {
    StxEtxDecoder decoder;
    expectNeedsMore(decoder, "");
    expectNeedsMore(decoder, "\x02");
    expectNeedsMore(decoder, "\x02hel");
    expectNeedsMore(decoder, "\x02hel");
    expectPackets(decoder, "\x02hello\x03", {"hello"});
}

TEST(StxEtxDecoder, RefusesAStreamThatDoesNotBeginWithStx) {
    for (std::string_view stream : {"x", "\x03", "hello\x02hi\x03"}) {
        StxEtxDecoder decoder;
        expectBroken(decoder, stream, Errc::malformedPacket);
    }
}

TEST(StxEtxDecoder, RefusesAByteBetweenTwoPackets) {
    StxEtxDecoder decoder;
    Feeder feeder(decoder);
    feeder.feed("\x02one\x03\n\x02two\x03");
    EXPECT_EQ(feeder.packets(), std::vector<std::string>{"one"});
    EXPECT_EQ(feeder.error(), Errc::malformedPacket);
}

TEST(StxEtxDecoder, RefusesAnStxInsideAPacket) {
    StxEtxDecoder whole;
    expectBroken(whole, "\x02one\x02two\x03", Errc::malformedPacket);

    StxEtxDecoder withoutWaitingForTheEtx;
    expectNeedsMore(withoutWaitingForTheEtx, "\x02one");
    expectBroken(withoutWaitingForTheEtx, "\x02one\x02", Errc::malformedPacket);
}

TEST(StxEtxDecoder, DoesNotBlameAPacketForTheStxOfTheNext) {
    StxEtxDecoder decoder;
    expectPackets(decoder, "\x02one\x03\x02\x03", {"one", ""});
}

TEST(StxEtxDecoder, TakesAPacketOfExactlyTheMaximum) {
    StxEtxDecoder decoder(3);
    expectNeedsMore(decoder, "\x02one");
    expectPackets(decoder, "\x02one\x03", {"one"});
    expectRoundTrip(decoder, "two");
}

TEST(StxEtxDecoder, RefusesOneByteOverTheMaximumBeforeTheEtx) {
    StxEtxDecoder atOnce(3);
    expectBroken(atOnce, "\x02over", Errc::packetTooLong);

    StxEtxDecoder byteByByte(3);
    expectNeedsMore(byteByByte, "\x02ove");
    expectBroken(byteByByte, "\x02over", Errc::packetTooLong);

    StxEtxDecoder complete(3);
    expectBroken(complete, "\x02over\x03", Errc::packetTooLong);
}

TEST(StxEtxDecoder, FindsWhatIsWrongFirstHoweverTheStreamWasCut) {
    StxEtxDecoder decoder(3);
    expectBroken(decoder, "\x02over\x02", Errc::packetTooLong);
}

TEST(StxEtxDecoder, TakesOnlyEmptyPacketsWithAMaximumOfZero) {
    StxEtxDecoder decoder(0);
    expectPackets(decoder, "\x02\x03", {""});
    expectBroken(decoder, "\x02x", Errc::packetTooLong);
}

TEST(StxEtxDecoder, HasAMaximumOf64KiBUnlessToldOtherwise) {
    EXPECT_EQ(StxEtxDecoder().maximumPacketBytes(), 65'536u);
    EXPECT_EQ(StxEtxDecoder(7).maximumPacketBytes(), 7u);
    StxEtxDecoder decoder;
    expectRoundTrip(decoder, std::string(65'536, 'x'));
    expectBroken(decoder, '\x02' + std::string(65'537, 'x'), Errc::packetTooLong);
}

TEST(StxEtxDecoder, WorksWithoutAMaximum) {
    StxEtxDecoder decoder(static_cast<std::size_t>(-1));
    expectNeedsMore(decoder, "\x02one");
    expectPackets(decoder, "\x02one\x03", {"one"});
}

TEST(StxEtxDecoder, PutsStxAndEtxRoundWhatItEncodes) {
    StxEtxDecoder decoder;
    expectEncoded(decoder, "hello", "\x02hello\x03");
    expectEncoded(decoder, "", "\x02\x03");
}

TEST(StxEtxDecoder, GivesBackEveryByteButItsOwnTwo) {
    std::string payload;
    for (int byte = 0; byte < 256; ++byte) {
        if (byte != 2 && byte != 3) payload.push_back(static_cast<char>(byte));
    }
    StxEtxDecoder decoder;
    expectRoundTrip(decoder, payload);
    expectRoundTrip(decoder, "");
}

TEST(StxEtxDecoder, RefusesToEncodeAPayloadWithEitherControlByte) {
    StxEtxDecoder decoder;
    for (std::string_view payload : {"\x02", "\x03", "a\x02", "a\x03",
                                     "\x02"
                                     "b",
                                     "a\x03"
                                     "b"}) {
        expectRefused(decoder, payload, Errc::notEncodable);
    }
}

TEST(StxEtxDecoder, RefusesToEncodeOneByteOverTheMaximum) {
    expectRefused(StxEtxDecoder(3), "over", Errc::packetTooLong);
}

TEST(StxEtxDecoder, DoesNotLookAgainAtPayloadItHasSeen) {
    StxEtxDecoder decoder;
    expectNeedsMore(decoder, "\x02seen");
    // Breaks the promise that bytes do not change: a second look would end the packet early.
    const Decoded decoded = decoder.decode(asBytes("\x02\x03\x02\x03\x02new\x03"));
    ASSERT_EQ(decoded.kind, Decoded::Kind::packet);
    EXPECT_EQ(decoded.packet.size(), 7u);
}

TEST(StxEtxDecoder, LooksAtTheNextPacketFromItsStart) {
    StxEtxDecoder decoder;
    expectNeedsMore(decoder, "\x02longer");
    Feeder feeder(decoder);
    feeder.feed("\x02longer\x03\x02s\x03");
    EXPECT_EQ(feeder.packets(), (std::vector<std::string>{"longer", "s"}));
}

}  // namespace
}  // namespace nio
