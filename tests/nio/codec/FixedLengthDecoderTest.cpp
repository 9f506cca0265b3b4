#include "CodecTesting.h"

#include <stdexcept>

#include <nio/codec/FixedLengthDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

TEST(FixedLengthDecoder, CutsTheStreamIntoPacketsOfItsLength) {
    FixedLengthDecoder decoder(3);
    expectPackets(decoder, "onetwo", {"one", "two"});
    EXPECT_EQ(decoder.maximumPacketBytes(), 3U);
}

TEST(FixedLengthDecoder, WaitsForAWholePacket) {
    FixedLengthDecoder decoder(3);
    expectNeedsMore(decoder, "");
    expectNeedsMore(decoder, "on");
}

TEST(FixedLengthDecoder, GivesTheSamePacketsByteByByte) {
    FixedLengthDecoder decoder(3);
    Feeder feeder(decoder);
    for (const char* byte : {"o", "n", "e", "t", "w", "o", "x"}) feeder.feed(byte);
    EXPECT_EQ(feeder.packets(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(feeder.tail(), "x");
}

TEST(FixedLengthDecoder, RefusesToSendAnotherLength) {
    const FixedLengthDecoder decoder(3);
    expectEncoded(decoder, "one", "one");
    expectRefused(decoder, "four", Errc::notEncodable);
    expectRefused(decoder, "", Errc::notEncodable);
}

TEST(FixedLengthDecoder, ALengthOfZeroIsRefused) {
    EXPECT_THROW(FixedLengthDecoder(0), std::invalid_argument);
    EXPECT_THROW(fixed(0), std::invalid_argument);
}

}  // namespace
}  // namespace nio
