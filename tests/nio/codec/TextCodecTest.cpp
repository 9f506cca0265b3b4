#include <gtest/gtest.h>

#include <nio/codec/MessageCodec.h>

namespace nio {
namespace {

TEST(TextCodec, DecodesAPacketAsItsText) {
    TextCodec codec;
    EXPECT_EQ(codec.decode(asBytes("hello")), "hello");
}

TEST(TextCodec, TakesAnEmptyPacketForAnEmptyMessage) {
    TextCodec codec;
    EXPECT_EQ(codec.decode({}), "");
    Bytes packet;
    codec.encode("", packet);
    EXPECT_TRUE(packet.empty());
}

TEST(TextCodec, GivesBackEveryByte) {
    std::string message;
    for (int byte = 0; byte < 256; ++byte) message.push_back(static_cast<char>(byte));
    TextCodec codec;
    Bytes packet;
    codec.encode(message, packet);
    EXPECT_EQ(asText(packet), message);
    EXPECT_EQ(codec.decode(packet), message);
}

TEST(TextCodec, AppendsToThePacket) {
    Bytes packet = copyOf(asBytes("one "));
    TextCodec().encode("two", packet);
    EXPECT_EQ(asText(packet), "one two");
}

TEST(TextCodec, OwnsItsMessageWhenThePacketIsGone) {
    TextCodec codec;
    Bytes packet = copyOf(asBytes("a message too long to be kept inside a string object"));
    const std::optional<std::string> message = codec.decode(packet);
    packet.assign(packet.size(), Byte{0});
    EXPECT_EQ(message, "a message too long to be kept inside a string object");
}

}  // namespace
}  // namespace nio
