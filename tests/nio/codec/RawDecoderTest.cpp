#include "CodecTesting.h"

#include <cstdint>

#include <nio/codec/RawDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

TEST(RawDecoder, GivesWhateverArrivedAsOnePacket) {
    RawDecoder decoder;
    const std::string arrived = "one\n" + bytes({0, 2, 3, 255});
    const Decoded decoded = decoder.decode(asBytes(arrived));
    ASSERT_EQ(decoded.kind, Decoded::Kind::packet);
    EXPECT_EQ(asText(decoded.packet), arrived);
    EXPECT_EQ(decoded.consumed, arrived.size());
}

TEST(RawDecoder, NeedsMoreWhenNothingArrived) {
    RawDecoder decoder;
    expectNeedsMore(decoder, "");
}

TEST(RawDecoder, GivesAPacketForEveryArrival) {
    RawDecoder decoder;
    Feeder feeder(decoder);
    feeder.feed("o");
    feeder.feed("ne");
    EXPECT_EQ(feeder.packets(), (std::vector<std::string>{"o", "ne"}));
}

TEST(RawDecoder, EncodesAPacketAsItIs) {
    RawDecoder decoder;
    expectEncoded(decoder, "hello", "hello");
    expectRoundTrip(decoder, std::string(200'000, '\0'));
}

TEST(RawDecoder, RefusesToEncodeAnEmptyPacket) {
    expectRefused(RawDecoder(), "", Errc::notEncodable);
}

TEST(RawDecoder, HasNoMaximum) {
    EXPECT_EQ(RawDecoder().maximumPacketBytes(), SIZE_MAX);
}

}  // namespace
}  // namespace nio
