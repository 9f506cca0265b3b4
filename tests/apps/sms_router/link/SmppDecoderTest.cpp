#include "sms_router/link/SmppDecoder.h"

#include <gtest/gtest.h>

#include <vector>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

using Kind = nio::Decoded::Kind;
using smpp::smpptest::octets;
using smpp::smpptest::shown;

class SmppDecoderTest : public ::testing::Test, protected PduWatcher {
  protected:
    std::vector<std::size_t> waited;
    bool bound = true;
    SmppDecoder decoder{{2000}, *this};

  private:
    bool isPeerBound() const override { return bound; }
    void pduIncomplete(std::size_t octets) override { waited.push_back(octets); }
};

const std::string_view enquireLink = "00000010 00000015 00000000 00000007";

TEST_F(SmppDecoderTest, APacketIsAWholePdu) {
    const nio::Bytes two = octets(std::string(enquireLink) + "00000011 80000004 00000000");
    const nio::Decoded decoded = decoder.decode(two);
    ASSERT_EQ(decoded.kind, Kind::packet);
    EXPECT_EQ(decoded.consumed, 16u);
    EXPECT_EQ(shown(decoded.packet), shown(octets(enquireLink)));
    EXPECT_TRUE(waited.empty());
}

TEST_F(SmppDecoderTest, TellsHowMuchOfAPduWaitsForItsRest) {
    const nio::Bytes whole = octets(enquireLink);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const nio::Decoded decoded = decoder.decode(nio::ByteView(whole).first(size));
        EXPECT_EQ(decoded.kind, Kind::needMore);
        EXPECT_EQ(decoded.consumed, 0u);
        ASSERT_EQ(waited.size(), size + 1);
        EXPECT_EQ(waited.back(), size);
    }
}

TEST_F(SmppDecoderTest, AnInvalidLengthYieldsTheHeaderAndEndsTheStream) {
    const nio::Bytes tooShort = octets("0000000F 00000015 00000000 00000007 AABBCC");
    const nio::Bytes tooLong = octets("000007D1 00000015 00000000 00000007 AABBCC");
    for (const nio::Bytes* stream : {&tooShort, &tooLong}) {
        const nio::Decoded decoded = decoder.decode(*stream);
        ASSERT_EQ(decoded.kind, Kind::packet);
        EXPECT_EQ(decoded.consumed, stream->size());
        EXPECT_EQ(shown(decoded.packet), shown(nio::ByteView(*stream).first(16)));
    }
    EXPECT_TRUE(waited.empty());
}

TEST_F(SmppDecoderTest, TheLongestPduIsAsLongAsItSays) {
    EXPECT_EQ(decoder.maximumPacketBytes(), 2000u);
    nio::Bytes longest = octets("000007D0 00000004 00000000 00000007");
    longest.resize(2000);
    const nio::Decoded decoded = decoder.decode(longest);
    ASSERT_EQ(decoded.kind, Kind::packet);
    EXPECT_EQ(decoded.packet.size(), 2000u);
}

TEST_F(SmppDecoderTest, BeforeTheBindAPduHasAtMost1024Octets) {
    bound = false;
    nio::Bytes longest = octets("00000400 00000009 00000000 00000007");
    EXPECT_EQ(decoder.decode(longest).kind, Kind::needMore);
    longest.resize(1024);
    EXPECT_EQ(decoder.decode(longest).packet.size(), 1024u);
    const nio::Bytes longer = octets("00000401 00000009 00000000 00000007 AABBCC");
    EXPECT_EQ(decoder.decode(longer).packet.size(), 16u) << "its header, for the answer";
    bound = true;
    EXPECT_EQ(decoder.decode(longer).kind, Kind::needMore);
}

TEST_F(SmppDecoderTest, BeforeTheBindALimitOfItsOwnCounts) {
    bound = false;
    SmppDecoder strict{{2000, 300}, *this};
    EXPECT_EQ(strict.decode(octets("0000012C 00000009 00000000 00000007")).kind, Kind::needMore);
    EXPECT_EQ(strict.decode(octets("0000012D 00000009 00000000 00000007")).kind, Kind::packet);
    SmppDecoder small{{200, 300}, *this};
    EXPECT_EQ(small.decode(octets("000000C9 00000009 00000000 00000007")).kind, Kind::packet);
}

TEST_F(SmppDecoderTest, SendsAPduAsItIs) {
    struct Sink final : nio::ByteSink {
        void append(nio::ByteView bytes) override {
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
        nio::Bytes all;
    } sink;
    EXPECT_TRUE(decoder.encode(octets(enquireLink), sink).ok());
    EXPECT_EQ(shown(sink.all), shown(octets(enquireLink)));
}

}  // namespace
}  // namespace router
