#include <gtest/gtest.h>

#include <array>

#include <smpp/pdu/Pdu.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

constexpr auto fieldCount = static_cast<std::size_t>(Field::count);

Pdu scanned(nio::ByteView bytes) {
    const Scanned found = scan(bytes);
    EXPECT_EQ(found.problem, Status::ok) << nameOf(found.problem);
    return found.pdu.value();
}

TEST(Pdu, ShowsEveryFieldOfEveryOperationWhereItIs) {
    for (const Sample& sample : samples()) {
        SCOPED_TRACE(nameOf(sample.command));
        const Exactly bytes(sample.pdu());
        const Pdu pdu = scanned(bytes.view());
        EXPECT_EQ(pdu.command(), sample.command);
        EXPECT_EQ(pdu.header().length, bytes.view().size());
        std::size_t offset = 16;
        for (const SampleField& field : sample.fields) {
            SCOPED_TRACE(nameOf(field.field));
            EXPECT_TRUE(pdu.has(field.field));
            EXPECT_EQ(pdu.offsetOf(field.field), offset);
            EXPECT_EQ(shown(pdu.octets(field.field)), shown(octets(field.octets)));
            offset += pdu.sizeOf(field.field);
        }
        EXPECT_EQ(pdu.tlvOffset(), offset);
    }
}

TEST(Pdu, HasTheFieldsOfItsCommandOnly) {
    for (const Sample& sample : samples()) {
        const nio::Bytes bytes = sample.pdu();
        const Pdu pdu = scanned(bytes);
        std::size_t there = 0;
        for (std::size_t i = 0; i < fieldCount; ++i) there += pdu.has(static_cast<Field>(i));
        EXPECT_EQ(there, sample.fields.size()) << nameOf(sample.command);
    }
}

TEST(Pdu, ShowsEveryTlvInItsOrder) {
    for (const Sample& sample : samples()) {
        const nio::Bytes bytes = sample.pdu();
        const Pdu pdu = scanned(bytes);
        std::size_t next = 0;
        for (const Tlv& tlv : pdu.tlvs()) {
            const nio::Bytes expected = octets(sample.tlvs.at(next++));
            EXPECT_EQ(shown(tlv.value), shown(nio::ByteView(expected).subspan(4)));
            EXPECT_EQ(tlv.value.data()[-4], expected[0]);
            EXPECT_EQ(static_cast<unsigned>(tlv.tag) & 0xFF,
                      std::to_integer<unsigned>(expected[1]));
        }
        EXPECT_EQ(next, sample.tlvs.size()) << nameOf(sample.command);
    }
}

TEST(Pdu, ReadsTextsWithoutTheirNulAndNumbers) {
    const nio::Bytes bytes = sampleOf(Command::submitSm).pdu();
    const Pdu pdu = scanned(bytes);
    EXPECT_EQ(pdu.text(Field::serviceType), "CMT");
    EXPECT_EQ(pdu.text(Field::sourceAddress), "Sender");
    EXPECT_EQ(pdu.text(Field::destinationAddress), "46701234567");
    EXPECT_EQ(pdu.text(Field::validityPeriod), "000002000000000R");
    EXPECT_EQ(pdu.number(Field::sourceTon), 5);
    EXPECT_EQ(pdu.number(Field::dataCoding), 0xF5);
    EXPECT_EQ(pdu.number(Field::messageLength), 5);
    EXPECT_EQ(nio::asText(pdu.octets(Field::shortMessage)), "Hello");
    EXPECT_EQ(pdu.sequence(), 4u);
}

TEST(Pdu, ReadsNothingFromFieldsThatAreNotThere) {
    const nio::Bytes bytes = sampleOf(Command::submitSm).pdu();
    const Pdu pdu = scanned(bytes);
    EXPECT_EQ(pdu.text(Field::messageId), "");
    EXPECT_EQ(pdu.text(Field::shortMessage), "") << "octets, no C-octet string";
    EXPECT_EQ(pdu.number(Field::messageState), 0);
    EXPECT_TRUE(pdu.octets(Field::destinations).empty());
    EXPECT_EQ(pdu.offsetOf(Field::messageId), 0u);
    EXPECT_EQ(pdu.sizeOf(Field::messageId), 0u);
    EXPECT_EQ(pdu.tlv(Tag::messagePayload), std::nullopt);
}

TEST(Pdu, HasItsMessageInShortMessageOrInMessagePayload) {
    const nio::Bytes submit = sampleOf(Command::submitSm).pdu();
    EXPECT_EQ(nio::asText(scanned(submit).message()), "Hello");
    const nio::Bytes data = sampleOf(Command::dataSm).pdu();
    EXPECT_EQ(shown(scanned(data).message()), "010203040506");
    const nio::Bytes link = sampleOf(Command::enquireLink).pdu();
    EXPECT_TRUE(scanned(link).message().empty());
}

// The fields of a submit_sm before sm_length, all of them empty or 0.
const std::string plainSubmit = "00000004 00000000 00000001" + std::string(16 * 2, '0');

TEST(Pdu, PrefersMessagePayloadUnlessItIsEmpty) {
    const nio::Bytes both = pduOf(plainSubmit + "02 'ab' 0424 0003 'xyz'");
    EXPECT_EQ(nio::asText(scanned(both).message()), "xyz");
    const nio::Bytes emptyPayload = pduOf(plainSubmit + "02 'ab' 0424 0000");
    EXPECT_EQ(nio::asText(scanned(emptyPayload).message()), "ab");
    const nio::Bytes noMessage = pduOf(plainSubmit + "00 0424 0000");
    EXPECT_TRUE(scanned(noMessage).message().empty());
}

TEST(Pdu, IsTakenWithAMessagePayloadOf65535Octets) {
    nio::Bytes bytes = pduOf(plainSubmit + "00 0424 FFFF");
    bytes.insert(bytes.end(), 0xFFFF, nio::Byte{'x'});
    const Exactly whole(withLength(bytes));
    EXPECT_EQ(scanned(whole.view()).message().size(), 0xFFFFu);
}

TEST(Pdu, LeavesTheBodyOfAnUnknownCommandAlone) {
    for (std::string_view written : {"00000111 00000000 00000007", "80000111 00000000 00000007",
                                     "00000111 00000000 00000007 FF 0424 FFFF"}) {
        const Exactly bytes(pduOf(written));
        const Pdu pdu = scanned(bytes.view());
        EXPECT_EQ(pdu.sequence(), 7u);
        EXPECT_TRUE(pdu.tlvs().empty());
        for (std::size_t i = 0; i < fieldCount; ++i) EXPECT_FALSE(pdu.has(static_cast<Field>(i)));
    }
}

TEST(Pdu, MayBeAResponseWithoutABody) {
    for (const Sample& sample : samples()) {
        if (!isResponse(sample.command)) continue;
        for (std::uint32_t status : {0x00u, 0x08u, 0x412u}) {
            nio::Bytes bytes = sample.pdu();
            bytes.resize(16);
            bytes[10] = static_cast<nio::Byte>(status >> 8);
            bytes[11] = static_cast<nio::Byte>(status & 0xFF);
            const Exactly headerOnly(withLength(bytes));
            const Pdu pdu = scanned(headerOnly.view());
            EXPECT_EQ(pdu.status(), static_cast<Status>(status));
            EXPECT_FALSE(pdu.has(Field::messageId));
            EXPECT_FALSE(pdu.has(Field::systemId));
            EXPECT_TRUE(pdu.tlvs().empty());
        }
    }
}

TEST(Pdu, KeepsTheBodyOfAnErrorResponseWhereItHasOne) {
    const nio::Bytes bytes = pduOf("80000004 00000058 00000001 '77' 00 1401 0001 01");
    const Pdu pdu = scanned(bytes);
    EXPECT_EQ(pdu.text(Field::messageId), "77");
    EXPECT_EQ(shown(*pdu.tlv(static_cast<Tag>(0x1401))), "01");
}

TEST(Pdu, IgnoresAMalformedBodyOfAnErrorResponse) {
    for (std::string_view written :
         {"80000004 00000058 00000001 'no end'", "80000004 00000058 00000001 00 FFFFFF",
          "80000006 00000008 00000001 01", "80000000 00000003 00000001 'text'"}) {
        const Exactly bytes(pduOf(written));
        const Pdu pdu = scanned(bytes.view());
        EXPECT_NE(pdu.status(), Status::ok);
        EXPECT_FALSE(pdu.has(Field::messageId));
        EXPECT_TRUE(pdu.tlvs().empty());
    }
}

TEST(Field, HasTheNameOfTheSpecification) {
    EXPECT_EQ(nameOf(Field::systemId), "system_id");
    EXPECT_EQ(nameOf(Field::destinationCount), "number_of_dests");
    EXPECT_EQ(nameOf(Field::esmClass), "esm_class");
    EXPECT_EQ(nameOf(Field::shortMessage), "short_message");
    EXPECT_EQ(nameOf(Field::messageId), "message_id");
    EXPECT_EQ(nameOf(Field::unsuccess), "unsuccess_sme(s)");
    EXPECT_EQ(nameOf(Field::count), "unknown");
}

TEST(Header, IsReadAsItCame) {
    const Exactly bytes(octets("FFFFFFFF 80000004 00000412 7FFFFFFE"));
    const auto header = Header::read(bytes.view());
    ASSERT_TRUE(header);
    EXPECT_EQ(header->length, 0xFFFFFFFF);
    EXPECT_EQ(header->command, Command::submitSmResp);
    EXPECT_EQ(header->status, static_cast<Status>(0x412));
    EXPECT_EQ(header->sequence, 0x7FFFFFFEu);
    EXPECT_FALSE(Header::read(bytes.view().first(15)));
}

}  // namespace
}  // namespace smpp
