#include <gtest/gtest.h>

#include <smpp/pdu/PduPatch.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// A PDU with what it shows.
class Kept {
  public:
    explicit Kept(nio::Bytes bytes) : bytes_(std::move(bytes)), pdu_(scan(bytes_).pdu.value()) {}
    explicit Kept(Command command) : Kept(sampleOf(command).pdu()) {}
    Kept(const Kept&) = delete;

    const Pdu& operator*() const { return pdu_; }

  private:
    nio::Bytes bytes_;
    Pdu pdu_;
};

constexpr std::string_view submitHead = "00000004 00000000 00000004";
constexpr std::string_view submitStart =
    "'CMT' 00 05 00 'Sender' 00 01 01 '46701234567' 00 03 11 02";
constexpr std::string_view submitTimes = "'991231235959000+' 00 '000002000000000R' 00 03 01 F5 07";
constexpr std::string_view submitMessage = "05 'Hello'";
constexpr std::string_view submitTlvs = "0204 0002 1234  1401 0003 'abc'  0005 0001 01";

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string all;
    for (std::string_view part : parts) all += part;
    return all;
}

void expectPatched(const PduPatch& patch, std::initializer_list<std::string_view> parts) {
    EXPECT_EQ(shown(patch.bytes()), shown(pduOf(joined(parts))));
    EXPECT_TRUE(scan(patch.bytes()).pdu);
}

TEST(PduPatch, ForwardsEveryOctetOfEveryOperation) {
    for (const Sample& sample : samples()) {
        const Kept pdu(sample.command);
        EXPECT_EQ(shown(PduPatch(*pdu).bytes()), shown(sample.pdu())) << nameOf(sample.command);
    }
}

TEST(PduPatch, ForwardsWhatIsUnknown) {
    const Kept pdu(pduOf("00000111 00000412 00000007 FF 0424 FFFF"));
    PduPatch patch(*pdu);
    patch.sequence(9);
    EXPECT_EQ(shown(patch.bytes()), shown(pduOf("00000111 00000412 00000009 FF 0424 FFFF")));
    EXPECT_FALSE(patch.text(Field::messageId, "1"));
    EXPECT_FALSE(patch.message(0, 0, {}));
}

TEST(PduPatch, ReplacesTheSequenceAndNothingElse) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    patch.sequence(0xFEDCBA98);
    expectPatched(
        patch, {"00000004 00000000 FEDCBA98", submitStart, submitTimes, submitMessage, submitTlvs});
}

TEST(PduPatch, ReplacesCommandAndStatus) {
    const Kept pdu(Command::submitSmResp);
    PduPatch patch(*pdu);
    patch.command(Command::dataSmResp);
    patch.status(static_cast<Status>(0x412));
    expectPatched(patch, {"80000103 00000412 00000004 '0A1B2C3D' 00"});
}

TEST(PduPatch, ReplacesATextByALongerAShorterOrAnEmptyOne) {
    for (std::string_view id : {"0A1B2C3D-0A1B2C3D-0A1B2C3D", "7", "", "FFFFFFFF"}) {
        const Kept pdu(Command::submitMultiResp);
        PduPatch patch(*pdu);
        ASSERT_TRUE(patch.text(Field::messageId, id));
        expectPatched(patch, {"80000021 00000000 00000021 '", id,
                              "' 00 02  01 01 '4670111' 00 0000000B  02 08 '0702222' 00 00000412"});
    }
}

TEST(PduPatch, KeepsTlvsAndTheirOrderBehindAnotherAddress) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    ASSERT_TRUE(patch.text(Field::destinationAddress, "0046701234567"));
    ASSERT_TRUE(patch.number(Field::destinationTon, 0));
    ASSERT_TRUE(patch.text(Field::sourceAddress, "1"));
    ASSERT_TRUE(patch.number(Field::dataCoding, 0x08));
    expectPatched(patch, {submitHead, "'CMT' 00 05 00 '1' 00 00 01 '0046701234567' 00 03 11 02",
                          "'991231235959000+' 00 '000002000000000R' 00 03 01 08 07", submitMessage,
                          submitTlvs});
}

TEST(PduPatch, TakesEveryTextOfEveryOperationUpToItsMaximum) {
    for (const Sample& sample : samples()) {
        const Kept pdu(sample.command);
        for (const SampleField& field : sample.fields) {
            const std::string_view text = (*pdu).text(field.field);
            if (text.empty()) continue;
            PduPatch patch(*pdu);
            EXPECT_TRUE(patch.text(field.field, text)) << nameOf(field.field);
            EXPECT_EQ(shown(patch.bytes()), shown(sample.pdu()));
        }
    }
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    EXPECT_TRUE(patch.text(Field::sourceAddress, "12345678901234567890"));
    EXPECT_FALSE(patch.text(Field::sourceAddress, "123456789012345678901"));
    EXPECT_TRUE(patch.text(Field::scheduleTime, ""));
    EXPECT_FALSE(patch.text(Field::scheduleTime, "9912312359"));
}

TEST(PduPatch, RefusesWhatDoesNotFitAndStaysAsItWas) {
    using namespace std::string_view_literals;
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    EXPECT_FALSE(patch.text(Field::messageId, "1")) << "no such field";
    EXPECT_FALSE(patch.text(Field::serviceType, "toolong"));
    EXPECT_FALSE(patch.text(Field::sourceAddress, "1\0002"sv)) << "a NUL within";
    EXPECT_FALSE(patch.text(Field::esmClass, "1")) << "an integer";
    EXPECT_FALSE(patch.text(Field::shortMessage, "1")) << "octets";
    EXPECT_FALSE(patch.number(Field::sourceAddress, 1)) << "a text";
    EXPECT_FALSE(patch.number(Field::messageLength, 1)) << "a length";
    EXPECT_FALSE(patch.number(Field::messageState, 1)) << "no such field";
    EXPECT_FALSE(patch.tlv(Tag::messagePayload, {})) << "no such TLV";
    EXPECT_EQ(shown(patch.bytes()), shown(sampleOf(Command::submitSm).pdu()));
}

TEST(PduPatch, RefusesTheFieldsOfABodyThatIsNotThere) {
    const Kept pdu(pduOf("80000004 00000008 00000001"));
    PduPatch patch(*pdu);
    EXPECT_FALSE(patch.text(Field::messageId, "1"));
    EXPECT_EQ(patch.bytes().size(), 16u);
}

TEST(PduPatch, ReplacesATlvWithItsLength) {
    const Kept pdu(Command::deliverSm);
    PduPatch patch(*pdu);
    const nio::Bytes id = octets("'123456789012' 00");
    ASSERT_TRUE(patch.tlv(Tag::receiptedMessageId, id));
    const nio::Bytes patched = patch.bytes();
    const Pdu changed = scan(patched).pdu.value();
    EXPECT_EQ(shown(changed.tlvs().octets()),
              shown(octets("001E 000D '123456789012' 00  0427 0001 02  0423 0003 030001")));
    EXPECT_EQ(nio::asText(changed.message()), "id:0A1B2C3D a");
}

TEST(PduPatch, RefusesATlvThatNoLengthCanExpress) {
    const Kept pdu(Command::dataSm);
    PduPatch patch(*pdu);
    const nio::Bytes longest(0xFFFF);
    const nio::Bytes tooLong(0x10000);
    EXPECT_FALSE(patch.tlv(Tag::messagePayload, tooLong));
    EXPECT_EQ(shown(patch.bytes()), shown(sampleOf(Command::dataSm).pdu()));
    EXPECT_TRUE(patch.tlv(Tag::messagePayload, longest));
    EXPECT_EQ(scan(patch.bytes()).problem, Status::ok);
}

TEST(PduPatch, ReplacesAPartOfTheMessageWithItsLength) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    ASSERT_TRUE(patch.message(1, 3, nio::asBytes("ippopotam")));
    expectPatched(patch, {submitHead, submitStart, submitTimes, "0B 'Hippopotamo'", submitTlvs});
}

TEST(PduPatch, ReplacesSeveralPartsOfTheMessage) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    ASSERT_TRUE(patch.message(4, 1, nio::asBytes("")));
    ASSERT_TRUE(patch.message(0, 0, nio::asBytes("<< ")));
    ASSERT_TRUE(patch.message(5, 0, nio::asBytes(" >>")));
    expectPatched(patch, {submitHead, submitStart, submitTimes, "0A '<< Hell >>'", submitTlvs});
}

TEST(PduPatch, CountsOnlyWhatLiesWithinTheMessage) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    ASSERT_TRUE(patch.tlv(static_cast<Tag>(0x1401), nio::asBytes("behind it")));
    ASSERT_TRUE(patch.message(5, 0, nio::asBytes("!")));
    expectPatched(patch, {submitHead, submitStart, submitTimes, "06 'Hello!'",
                          "0204 0002 1234  1401 0009 'behind it'  0005 0001 01"});
}

TEST(PduPatch, ReplacesAPartOfMessagePayloadWithItsLength) {
    const Kept pdu(Command::dataSm);
    PduPatch patch(*pdu);
    ASSERT_TRUE(patch.message(2, 2, nio::asBytes("abc")));
    expectPatched(patch, {"00000103 00000000 00000103",
                          "'WAP' 00 01 01 '12345' 00 01 0E '46701234567' 00 40 01 04",
                          "0424 0007 0102 'abc' 0506  020A 0002 23F0"});
}

TEST(PduPatch, RefusesAShortMessageOfMoreThan254Octets) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    const nio::Bytes much(249, nio::Byte{'x'});
    const nio::Bytes tooMuch(250, nio::Byte{'x'});
    EXPECT_FALSE(patch.message(5, 0, tooMuch));
    EXPECT_EQ(shown(patch.bytes()), shown(sampleOf(Command::submitSm).pdu()));
    EXPECT_TRUE(patch.message(5, 0, much));
    EXPECT_EQ(scan(patch.bytes()).pdu->number(Field::messageLength), 254);
    EXPECT_FALSE(patch.message(0, 0, nio::asBytes("x"))) << "together with what is there";
    EXPECT_TRUE(patch.message(0, 1, nio::asBytes("J")));
}

TEST(PduPatch, RefusesPlacesOutsideTheMessage) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    EXPECT_FALSE(patch.message(6, 0, {}));
    EXPECT_FALSE(patch.message(4, 2, {}));
    EXPECT_FALSE(patch.message(1, static_cast<std::size_t>(-1), {}));
    const Kept link(Command::enquireLink);
    EXPECT_FALSE(PduPatch(*link).message(0, 0, {}));
}

TEST(PduPatch, ReplacesOctetsByTheirPlaceInTheBody) {
    const Kept pdu(Command::unbind);
    PduPatch insertion(*pdu);
    ASSERT_TRUE(insertion.octets(16, 0, nio::asBytes("ab")));
    EXPECT_EQ(shown(insertion.bytes()), shown(pduOf("00000006 00000000 00000006 'ab'")));
    EXPECT_FALSE(insertion.octets(15, 1, {})) << "within the header";
    EXPECT_FALSE(insertion.octets(16, 1, {})) << "past the end";
    EXPECT_FALSE(insertion.octets(17, 0, {}));
    EXPECT_FALSE(insertion.octets(16, static_cast<std::size_t>(-1), {}));
}

TEST(PduPatch, InsertsBeforeWhatItReplacesAtTheSamePlace) {
    const Kept pdu(pduOf("80000004 00000000 00000001 'id' 00"));
    PduPatch insertedFirst(*pdu);
    ASSERT_TRUE(insertedFirst.octets(16, 0, nio::asBytes("<")));
    ASSERT_TRUE(insertedFirst.text(Field::messageId, "other"));
    expectPatched(insertedFirst, {"80000004 00000000 00000001 '<other' 00"});
    PduPatch insertedLast(*pdu);
    ASSERT_TRUE(insertedLast.text(Field::messageId, "other"));
    ASSERT_TRUE(insertedLast.octets(16, 0, nio::asBytes("<")));
    expectPatched(insertedLast, {"80000004 00000000 00000001 '<other' 00"});
}

TEST(PduPatch, TakesTheLaterValueForTheSamePlace) {
    const Kept pdu(Command::submitSmResp);
    PduPatch patch(*pdu);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(patch.text(Field::messageId, "first"));
    ASSERT_TRUE(patch.text(Field::messageId, "second"));
    expectPatched(patch, {"80000004 00000000 00000004 'second' 00"});
}

TEST(PduPatch, RefusesPlacesThatOverlapInPart) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    ASSERT_TRUE(patch.message(1, 2, nio::asBytes("E")));
    EXPECT_FALSE(patch.message(0, 2, nio::asBytes("x")));
    EXPECT_FALSE(patch.message(2, 2, nio::asBytes("x")));
    EXPECT_FALSE(patch.message(0, 5, nio::asBytes("x")));
    EXPECT_FALSE(patch.message(2, 0, nio::asBytes("x")));
    expectPatched(patch, {submitHead, submitStart, submitTimes, "04 'HElo'", submitTlvs});
}

TEST(PduPatch, RefusesOneChangeTooMany) {
    const Kept pdu(Command::submitSm);
    PduPatch patch(*pdu);
    for (Field field :
         {Field::sourceTon, Field::sourceNpi, Field::destinationTon, Field::destinationNpi,
          Field::esmClass, Field::priority, Field::dataCoding, Field::protocolId,
          Field::registeredDelivery, Field::replaceIfPresent, Field::defaultMessageId}) {
        ASSERT_TRUE(patch.number(field, 0));
    }
    const nio::Bytes eleven = patch.bytes();
    EXPECT_FALSE(patch.message(0, 1, nio::asBytes("h"))) << "takes two";
    EXPECT_EQ(shown(patch.bytes()), shown(eleven));
    EXPECT_TRUE(patch.text(Field::sourceAddress, "1"));
    EXPECT_FALSE(patch.text(Field::destinationAddress, "2"));
    EXPECT_TRUE(patch.text(Field::sourceAddress, "3")) << "a place that it has";
}

TEST(PduPatch, AppendsBehindWhatIsThere) {
    const Kept pdu(Command::enquireLink);
    nio::Bytes out = octets("'abc'");
    PduPatch(*pdu).appendTo(out);
    PduPatch(*pdu).appendTo(out);
    EXPECT_EQ(shown(out), shown(octets("'abc' 00000010 00000015 00000000 00000015"
                                       "00000010 00000015 00000000 00000015")));
}

TEST(InPlace, ReplacesSequenceAndStatus) {
    nio::Bytes pdu = sampleOf(Command::submitSmResp).pdu();
    setSequence(pdu, 0x01020304);
    setStatus(pdu, Status::msgQFul);
    EXPECT_EQ(shown(pdu), shown(pduOf("80000004 00000014 01020304 '0A1B2C3D' 00")));
}

}  // namespace
}  // namespace smpp
