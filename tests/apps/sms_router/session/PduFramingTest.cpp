#include "sms_router/session/PduFraming.h"

#include <gtest/gtest.h>

#include <vector>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

using smpp::smpptest::octets;
using smpp::smpptest::shown;

class PduFramingTest : public ::testing::Test {
  protected:
    struct Link {
        bool wasBound() const { return bound; }
        void waitsForRest(std::size_t octets) { waited.push_back(octets); }

        std::vector<std::size_t> waited{};
        bool bound = true;
    };
    struct Context {
        void taken(std::size_t octets) { told = octets; }
        void read(nio::ByteView pdu) { pdus.push_back(nio::copyOf(pdu)); }

        std::size_t told = 0;
        std::vector<nio::Bytes> pdus{};
    };

    // Returns how many octets were taken.
    std::size_t read(PduFraming<Link>& stage, nio::ByteView unread) {
        nio::onDispatcher.assumeCurrent();
        context = {};
        const std::size_t taken = stage.read(context, unread);
        EXPECT_EQ(context.told, taken) << "told before the PDU is passed on";
        EXPECT_EQ(context.pdus.size(), taken == 0 ? 0u : 1u);
        return taken;
    }
    std::size_t read(nio::ByteView unread) { return read(framing, unread); }

    Link link;
    Context context;
    PduFraming<Link> framing{{2000}, link};
};

const std::string_view enquireLink = "00000010 00000015 00000000 00000007";

TEST_F(PduFramingTest, PassesOnWholePdusOneACall) {
    const nio::Bytes two = octets(std::string(enquireLink) + "00000011 80000004 00000000");
    EXPECT_EQ(read(two), 16u);
    EXPECT_EQ(shown(context.pdus[0]), shown(octets(enquireLink)));
    EXPECT_TRUE(link.waited.empty());
}

TEST_F(PduFramingTest, TellsHowMuchOfAPduWaitsForItsRest) {
    const nio::Bytes whole = octets(enquireLink);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        EXPECT_EQ(read(nio::ByteView(whole).first(size)), 0u);
        ASSERT_EQ(link.waited.size(), size);
        EXPECT_EQ(link.waited.back(), size);
    }
}

TEST_F(PduFramingTest, AnInvalidLengthYieldsTheHeaderAndEndsTheStream) {
    const nio::Bytes tooShort = octets("0000000F 00000015 00000000 00000007 AABBCC");
    const nio::Bytes tooLong = octets("000007D1 00000015 00000000 00000007 AABBCC");
    for (const nio::Bytes* stream : {&tooShort, &tooLong}) {
        EXPECT_EQ(read(*stream), stream->size());
        EXPECT_EQ(shown(context.pdus.at(0)), shown(nio::ByteView(*stream).first(16)));
    }
    EXPECT_TRUE(link.waited.empty());
}

TEST_F(PduFramingTest, TheLongestPduIsAsLongAsItSays) {
    nio::Bytes longest = octets("000007D0 00000004 00000000 00000007");
    longest.resize(2000);
    EXPECT_EQ(read(longest), 2000u);
    EXPECT_EQ(context.pdus[0].size(), 2000u);
}

TEST_F(PduFramingTest, BeforeTheBindAPduHasAtMost1024Octets) {
    link.bound = false;
    nio::Bytes longest = octets("00000400 00000009 00000000 00000007");
    EXPECT_EQ(read(longest), 0u);
    longest.resize(1024);
    EXPECT_EQ(read(longest), 1024u);
    const nio::Bytes longer = octets("00000401 00000009 00000000 00000007 AABBCC");
    EXPECT_EQ(read(longer), longer.size());
    EXPECT_EQ(context.pdus.at(0).size(), 16u) << "its header, for the answer";
    link.bound = true;
    EXPECT_EQ(read(longer), 0u);
}

TEST_F(PduFramingTest, BeforeTheBindALimitOfItsOwnCounts) {
    link.bound = false;
    PduFraming<Link> strict{{2000, 300}, link};
    EXPECT_EQ(read(strict, octets("0000012C 00000009 00000000 00000007")), 0u);
    EXPECT_EQ(read(strict, octets("0000012D 00000009 00000000 00000007")), 16u);
    PduFraming<Link> small{{200, 300}, link};
    EXPECT_EQ(read(small, octets("000000C9 00000009 00000000 00000007")), 16u);
}

}  // namespace
}  // namespace router
