#include <gtest/gtest.h>

#include <smpp/pdu/PduFramer.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;
using Kind = Framed::Kind;

Kind kindOf(const PduFramer& framer, std::string_view written) {
    return framer.next(Exactly(octets(written)).view()).kind;
}

TEST(PduFramer, GivesOnePduAtATimeOfWhatHasArrived) {
    nio::Bytes stream;
    for (const Sample& sample : samples()) {
        const nio::Bytes pdu = sample.pdu();
        stream.insert(stream.end(), pdu.begin(), pdu.end());
    }
    nio::ByteView unread = stream;
    for (const Sample& sample : samples()) {
        const Framed framed = PduFramer().next(unread);
        ASSERT_EQ(framed.kind, Kind::pdu);
        EXPECT_EQ(framed.bytes.data(), unread.data());
        EXPECT_EQ(shown(framed.bytes), shown(sample.pdu()));
        unread = unread.subspan(framed.bytes.size());
    }
    EXPECT_TRUE(unread.empty());
}

TEST(PduFramer, NeedsMoreUntilTheLastByteHasArrived) {
    for (const Sample& sample : samples()) {
        const nio::Bytes pdu = sample.pdu();
        for (std::size_t size = 0; size < pdu.size(); ++size) {
            const Exactly arrived(nio::ByteView(pdu).first(size));
            const Framed framed = PduFramer().next(arrived.view());
            EXPECT_EQ(framed.kind, Kind::needMore) << size;
            EXPECT_TRUE(framed.bytes.empty());
        }
        EXPECT_EQ(PduFramer().next(pdu).kind, Kind::pdu);
    }
}

TEST(PduFramer, RefusesALengthUnderSixteenAsSoonAsItIsThere) {
    for (unsigned length = 0; length < 16; ++length) {
        nio::Bytes stream = octets("00000000 00000004 00000000 00000001 0000");
        stream[3] = static_cast<nio::Byte>(length);
        for (std::size_t size = 4; size <= stream.size(); ++size) {
            const Exactly arrived(nio::ByteView(stream).first(size));
            const Framed framed = PduFramer().next(arrived.view());
            EXPECT_EQ(framed.kind, Kind::badLength) << length;
            EXPECT_EQ(framed.bytes.size(), std::min<std::size_t>(size, 16));
            EXPECT_EQ(framed.bytes.data(), arrived.view().data());
        }
    }
}

TEST(PduFramer, RefusesALengthOverTheMaximumOnceItsHeaderIsThere) {
    for (std::string_view length : {"00000101", "7FFFFFFF", "80000000", "FFFFFFFF"}) {
        const nio::Bytes stream = octets(std::string(length) + "00000004 00000000 0000002A 'more'");
        const PduFramer framer(0x100);
        for (std::size_t size = 0; size < stream.size(); ++size) {
            const Exactly arrived(nio::ByteView(stream).first(size));
            const Framed framed = framer.next(arrived.view());
            EXPECT_EQ(framed.kind, size < 16 ? Kind::needMore : Kind::badLength) << size;
            EXPECT_EQ(framed.bytes.size(), size < 16 ? 0u : 16u);
        }
    }
}

TEST(PduFramer, TakesALengthOfExactlyTheMaximum) {
    EXPECT_EQ(kindOf(PduFramer(18), "00000012 00000006 00000000 00000001 0000"), Kind::pdu);
    EXPECT_EQ(kindOf(PduFramer(17), "00000012 00000006 00000000 00000001 0000"), Kind::badLength);
    EXPECT_EQ(kindOf(PduFramer(16), "00000010 00000006 00000000 00000001"), Kind::pdu);
}

TEST(PduFramer, TakesTheLongestMessagePayloadByDefault) {
    EXPECT_EQ(PduFramer().maximumPduBytes(), 73'728u);
    EXPECT_EQ(kindOf(PduFramer(), "00012000 00000004 00000000 00000001"), Kind::needMore);
    EXPECT_EQ(kindOf(PduFramer(), "00012001 00000004 00000000 00000001"), Kind::badLength);
}

}  // namespace
}  // namespace smpp
