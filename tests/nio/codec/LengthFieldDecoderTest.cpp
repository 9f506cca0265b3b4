#include "CodecTesting.h"

#include <limits>
#include <stdexcept>

#include <nio/codec/LengthFieldDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

constexpr std::size_t allFieldBytes[] = {1, 2, 3, 4, 8};
constexpr std::size_t noMaximum = std::numeric_limits<std::size_t>::max();

LengthFieldOptions smppStyle() {
    LengthFieldOptions options;
    options.lengthIncludesField = true;
    return options;
}

LengthFieldOptions withMaximum(std::size_t maximumPacketBytes) {
    LengthFieldOptions options;
    options.maximumPacketBytes = maximumPacketBytes;
    return options;
}

TEST(LengthFieldDecoder, GivesTheBytesBehindTheField) {
    LengthFieldDecoder decoder;
    const std::string stream = bytes({0, 0, 0, 5}) + "hello" + bytes({0, 0});
    const Decoded decoded = decoder.decode(asBytes(stream));
    ASSERT_EQ(decoded.kind, Decoded::Kind::packet);
    EXPECT_EQ(asText(decoded.packet), "hello");
    EXPECT_EQ(decoded.consumed, 9u);
}

TEST(LengthFieldDecoder, ReadsTheFieldBigEndianInEverySize) {
    const std::string packet(0x0102, 'x');
    for (std::size_t fieldBytes : {2u, 3u, 4u, 8u}) {
        LengthFieldDecoder decoder({fieldBytes, false, 1000});
        const std::string field = std::string(fieldBytes - 2, '\0') + bytes({1, 2});
        expectPackets(decoder, field + packet, {packet});
        expectEncoded(decoder, packet, field + packet);
    }
    LengthFieldDecoder oneByte({1, false, 1000});
    expectPackets(oneByte, bytes({0xff}) + std::string(255, 'x'), {std::string(255, 'x')});
}

TEST(LengthFieldDecoder, GivesEveryPacketOfOneRead) {
    LengthFieldDecoder decoder({1, false, 100});
    expectPackets(decoder, bytes({3}) + "one" + bytes({0}) + bytes({5}) + "three",
                  {"one", "", "three"});
}

TEST(LengthFieldDecoder, NeedsMoreUntilFieldAndPacketHaveArrived) {
    const std::string stream = bytes({0, 0, 0, 3}) + "one";
    LengthFieldDecoder decoder;
    for (std::size_t size = 0; size < stream.size(); ++size) {
        expectNeedsMore(decoder, stream.substr(0, size));
    }
    expectPackets(decoder, stream, {"one"});
}

TEST(LengthFieldDecoder, CountsTheFieldWhereTheLengthIncludesIt) {
    LengthFieldDecoder decoder(smppStyle());
    const std::string stream = bytes({0, 0, 0, 9}) + "hello";
    expectPackets(decoder, stream, {"hello"});
    expectEncoded(decoder, "hello", stream);
}

TEST(LengthFieldDecoder, GivesEmptyPackets) {
    LengthFieldDecoder apart;
    expectPackets(apart, bytes({0, 0, 0, 0}), {""});
    expectEncoded(apart, "", bytes({0, 0, 0, 0}));
    LengthFieldDecoder included(smppStyle());
    expectPackets(included, bytes({0, 0, 0, 4}), {""});
    expectEncoded(included, "", bytes({0, 0, 0, 4}));
}

TEST(LengthFieldDecoder, RefusesALengthSmallerThanTheFieldItIncludes) {
    for (std::size_t fieldBytes : allFieldBytes) {
        for (std::size_t length = 0; length < fieldBytes; ++length) {
            LengthFieldDecoder decoder({fieldBytes, true, 100});
            const std::string field = std::string(fieldBytes - 1, '\0') + static_cast<char>(length);
            expectBroken(decoder, field, Errc::malformedPacket);
        }
    }
}

TEST(LengthFieldDecoder, TakesAPacketOfExactlyTheMaximum) {
    LengthFieldDecoder apart({4, false, 3});
    expectRoundTrip(apart, "one");
    LengthFieldDecoder included({4, true, 3});
    expectRoundTrip(included, "one");
}

TEST(LengthFieldDecoder, RefusesOneByteOverTheMaximumOnceTheFieldHasArrived) {
    LengthFieldDecoder apart({4, false, 3});
    expectNeedsMore(apart, bytes({0, 0, 0}));
    expectBroken(apart, bytes({0, 0, 0, 4}), Errc::packetTooLong);
    LengthFieldDecoder included({4, true, 3});
    expectBroken(included, bytes({0, 0, 0, 8}), Errc::packetTooLong);
    LengthFieldDecoder complete({4, false, 3});
    expectBroken(complete, bytes({0, 0, 0, 4}) + "four", Errc::packetTooLong);
}

TEST(LengthFieldDecoder, IsNotFooledByTheLargestLengths) {
    for (std::size_t fieldBytes : allFieldBytes) {
        for (bool included : {false, true}) {
            LengthFieldDecoder decoder({fieldBytes, included, 100});
            expectBroken(decoder, std::string(fieldBytes, '\xff') + "x", Errc::packetTooLong);
        }
    }
}

TEST(LengthFieldDecoder, WaitsForTheLargestLengthsWithoutAMaximum) {
    for (bool included : {false, true}) {
        LengthFieldDecoder decoder({8, included, noMaximum});
        const std::string largest = std::string(8, '\xff') + "x";
        if constexpr (sizeof(std::size_t) < 8) {
            expectBroken(decoder, largest, Errc::packetTooLong);
        } else {
            expectNeedsMore(decoder, largest);
        }
        LengthFieldDecoder fresh({8, included, noMaximum});
        expectRoundTrip(fresh, "one");
    }
}

TEST(LengthFieldDecoder, SeesALengthThatDiffersInItsHighestByteAlone) {
    LengthFieldDecoder decoder({8, false, 100});
    expectBroken(decoder, bytes({1, 0, 0, 0, 0, 0, 0, 1}) + "x", Errc::packetTooLong);
}

TEST(LengthFieldDecoder, DefaultsToAFourByteFieldAndAMaximumOf1MiB) {
    LengthFieldDecoder decoder;
    EXPECT_EQ(decoder.maximumPacketBytes(), 1'048'576u);
    expectEncoded(decoder, "x", bytes({0, 0, 0, 1}) + "x");
    expectRoundTrip(decoder, std::string(1'048'576, 'x'));
    expectBroken(decoder, bytes({0, 0x10, 0, 1}), Errc::packetTooLong);
}

TEST(LengthFieldDecoder, HasNoLargerMaximumThanItsFieldCanExpress) {
    EXPECT_EQ(LengthFieldDecoder({1, false, noMaximum}).maximumPacketBytes(), 255u);
    EXPECT_EQ(LengthFieldDecoder({1, true, noMaximum}).maximumPacketBytes(), 254u);
    EXPECT_EQ(LengthFieldDecoder({2, false, noMaximum}).maximumPacketBytes(), 65'535u);
    EXPECT_EQ(LengthFieldDecoder({3, true, noMaximum}).maximumPacketBytes(), 16'777'212u);
    EXPECT_EQ(LengthFieldDecoder({8, false, noMaximum}).maximumPacketBytes(), noMaximum);
}

TEST(LengthFieldDecoder, FramesTheLongestPacketItsFieldCanExpress) {
    LengthFieldDecoder apart({1, false, noMaximum});
    expectRoundTrip(apart, std::string(255, 'x'));
    expectRefused(apart, std::string(256, 'x'), Errc::packetTooLong);
    LengthFieldDecoder included({1, true, noMaximum});
    expectRoundTrip(included, std::string(254, 'x'));
    expectRefused(included, std::string(255, 'x'), Errc::packetTooLong);
}

TEST(LengthFieldDecoder, GivesBackEveryByte) {
    std::string packet;
    for (int byte = 0; byte < 256; ++byte) packet.push_back(static_cast<char>(byte));
    LengthFieldDecoder decoder;
    expectRoundTrip(decoder, packet);
}

TEST(LengthFieldDecoder, RefusesToEncodeOneByteOverTheMaximum) {
    expectRefused(LengthFieldDecoder(withMaximum(3)), "four", Errc::packetTooLong);
}

TEST(LengthFieldDecoder, RefusesAFieldOfAnyOtherSize) {
    for (std::size_t fieldBytes : {0u, 5u, 6u, 7u, 9u, 16u}) {
        EXPECT_THROW(LengthFieldDecoder({fieldBytes, false, 100}), std::invalid_argument);
    }
}

}  // namespace
}  // namespace nio
