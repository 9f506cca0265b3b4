// Every PDU cut short and every octet of it changed: what is not whole is refused, and nothing
// outside the octets is read (each PDU lies in a block of exactly its size, for the sanitizer).
#include <gtest/gtest.h>
#include <algorithm>

#include <smpp/pdu/PduPatch.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// Touches all that there is to see.
std::size_t readAll(const Pdu& pdu) {
    std::size_t seen = pdu.message().size();
    for (std::size_t i = 0; i < static_cast<std::size_t>(Field::count); ++i) {
        const auto field = static_cast<Field>(i);
        const std::string_view text = pdu.text(field);
        const nio::ByteView octets = pdu.octets(field);
        seen += static_cast<std::size_t>(std::ranges::count(text, '\0'));
        seen += static_cast<std::size_t>(std::ranges::count(octets, nio::Byte{0}));
        seen += pdu.number(field) + pdu.offsetOf(field) + pdu.sizeOf(field);
    }
    for (const Tlv& tlv : pdu.tlvs()) {
        seen += static_cast<std::size_t>(std::ranges::count(tlv.value, nio::Byte{0}));
    }
    return seen;
}

// A PDU that was found whole is forwarded as it came, up to where it is believed to end.
void expectSound(nio::ByteView bytes) {
    const Exactly block(bytes);
    const Scanned scanned = scan(block.view());
    ASSERT_EQ(scanned.pdu.has_value(), scanned.problem == Status::ok);
    if (!scanned.pdu) return;
    readAll(*scanned.pdu);
    const nio::Bytes forwarded = PduPatch(*scanned.pdu).bytes();
    if (forwarded.size() == bytes.size()) {
        ASSERT_TRUE(std::ranges::equal(forwarded, bytes)) << shown(bytes);
    } else {
        ASSERT_TRUE(isResponse(scanned.pdu->command())) << shown(bytes);
        ASSERT_TRUE(std::ranges::equal(nio::ByteView(forwarded).subspan(4),
                                       bytes.first(forwarded.size()).subspan(4)))
            << shown(bytes);
    }
}

std::vector<std::size_t> legalEnds(const Sample& sample) {
    std::size_t end = 16;
    std::vector<std::size_t> ends;
    if (isResponse(sample.command)) ends.push_back(end);
    for (const SampleField& field : sample.fields) end += octets(field.octets).size();
    ends.push_back(end);
    for (std::string_view tlv : sample.tlvs) ends.push_back(end += octets(tlv).size());
    return ends;
}

// Of an answer what follows the fields may be anything.
TEST(TruncatedPdu, IsRefusedAtEveryLengthThatIsNotItsEnd) {
    for (const Sample& sample : samples()) {
        const nio::Bytes whole = sample.pdu();
        const std::vector<std::size_t> ends = legalEnds(sample);
        for (std::size_t size = 16; size <= whole.size(); ++size) {
            const Exactly cut(withLength({whole.begin(), whole.begin() + std::ptrdiff_t(size)}));
            const bool endsWell = std::ranges::find(ends, size) != ends.end();
            const bool legal = endsWell || (isResponse(sample.command) && size > ends[1]);
            EXPECT_EQ(scan(cut.view()).problem == Status::ok, legal)
                << nameOf(sample.command) << " of " << size;
        }
    }
}

TEST(TruncatedPdu, IsRefusedForTheFieldInWhichItEnds) {
    const nio::Bytes whole = sampleOf(Command::submitSm).pdu();
    const auto problemAt = [&](std::size_t size) {
        return scan(withLength({whole.begin(), whole.begin() + std::ptrdiff_t(size)})).problem;
    };
    EXPECT_EQ(problemAt(16), Status::invCmdLen) << "before service_type";
    EXPECT_EQ(problemAt(17), Status::invSerTyp);
    EXPECT_EQ(problemAt(19), Status::invSerTyp) << "all but its NUL";
    EXPECT_EQ(problemAt(20), Status::invCmdLen) << "before source_addr_ton";
    EXPECT_EQ(problemAt(22), Status::invCmdLen) << "before source_addr";
    EXPECT_EQ(problemAt(23), Status::invSrcAdr);
    EXPECT_EQ(problemAt(32), Status::invDstAdr);
    EXPECT_EQ(problemAt(47), Status::invSched);
    EXPECT_EQ(problemAt(64), Status::invExpiry);
    EXPECT_EQ(problemAt(84), Status::invCmdLen) << "before sm_length";
    EXPECT_EQ(problemAt(85), Status::invMsgLen) << "before short_message";
    EXPECT_EQ(problemAt(89), Status::invMsgLen);
    EXPECT_EQ(problemAt(90), Status::ok) << "before the TLVs";
    EXPECT_EQ(problemAt(91), Status::invOptParStream);
}

TEST(MutatedPdu, IsNeverReadBeyondItsOctets) {
    for (const Sample& sample : samples()) {
        const nio::Bytes whole = sample.pdu();
        for (std::size_t at = 4; at < whole.size(); ++at) {
            nio::Bytes mutated = whole;
            for (unsigned value : {0x00u, 0x01u, 0x02u, 0x03u, 0x04u, 0x05u, 0x10u, 0x15u, 0x20u,
                                   0x37u, 0x40u, 0x7Fu, 0x80u, 0x81u, 0xC0u, 0xFEu, 0xFFu}) {
                mutated[at] = static_cast<nio::Byte>(value);
                ASSERT_NO_FATAL_FAILURE(expectSound(mutated));
            }
        }
    }
}

TEST(MutatedPdu, IsRefusedWithAnyOtherLength) {
    for (const Sample& sample : samples()) {
        const nio::Bytes whole = sample.pdu();
        for (std::size_t at = 0; at < 4; ++at) {
            nio::Bytes mutated = whole;
            mutated[at] ^= nio::Byte{0x10};
            EXPECT_EQ(scan(Exactly(mutated).view()).problem, Status::invCmdLen);
        }
    }
}

TEST(MutatedPdu, MayHaveTheBodyOfAnotherCommand) {
    for (const Sample& sample : samples()) {
        for (const Sample& other : samples()) {
            nio::Bytes mixed = sample.pdu();
            const nio::Bytes header = octets(other.header);
            std::copy_n(header.begin() + 4, 4, mixed.begin() + 4);
            for (std::size_t size = 16; size <= mixed.size(); ++size) {
                ASSERT_NO_FATAL_FAILURE(
                    expectSound(withLength({mixed.begin(), mixed.begin() + std::ptrdiff_t(size)})));
            }
        }
    }
}

}  // namespace
}  // namespace smpp
