#include <nio/base/Bytes.h>

#include <gtest/gtest.h>

#include <string>

namespace nio {
namespace {

TEST(Bytes, ShowATextWithoutACopy) {
    const std::string text = "some text";
    const ByteView bytes = asBytes(text);
    EXPECT_EQ(static_cast<const void*>(bytes.data()), text.data());
    EXPECT_EQ(bytes.size(), text.size());
}

TEST(Bytes, ReadBackAsTheTextTheyCameFrom) {
    const std::string_view text("\x00 a \xFF", 5);
    EXPECT_EQ(asText(asBytes(text)), text);
    EXPECT_EQ(asBytes(text).back(), Byte{0xFF});
    EXPECT_EQ(asText({}), "");
    EXPECT_TRUE(asBytes("").empty());
}

TEST(Bytes, AreTheirOwnersWhenCopied) {
    std::string text = "before";
    const Bytes copy = copyOf(asBytes(text));
    text = "afterw";
    EXPECT_EQ(asText(copy), "before");
    EXPECT_TRUE(copyOf({}).empty());
}

class Gatherer final : public ByteSink {
  public:
    void append(ByteView bytes) override { text += asText(bytes); }
    std::string text;
};

TEST(ByteSink, IsGivenThePiecesInOrder) {
    Gatherer gatherer;
    ByteSink& sink = gatherer;
    for (const char* piece : {"one ", "two ", "three"}) sink.append(asBytes(piece));
    EXPECT_EQ(gatherer.text, "one two three");
}

}  // namespace
}  // namespace nio
