#include "sms_router/session/PlainPeer.h"

#include <gtest/gtest.h>
#include <smpp/pdu/PduWriter.h>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

using smpp::Status;
using smpp::smpptest::octets;
using smpp::smpptest::shown;
using smpp::smpptest::written;

std::string plain(std::string_view pdu) {
    return shown(withoutTlvs(octets(pdu)));
}

TEST(PlainPeer, GetsNoOptionalParametersAndTheLengthFollows) {
    // deliver_sm with receipted_message_id, message_state and one that nobody knows.
    EXPECT_EQ(plain("00000035 00000005 00000000 00000007 00 01 01 'A' 00 01 01 'B' 00 04 00 00"
                    "00 00 00 00 00 00 02 'ok'"
                    "001E 0003 'AB' 00  0427 0001 02  1401 0000"),
              written("00000025 00000005 00000000 00000007 00 01 01 'A' 00 01 01 'B' 00 04 00 00"
                      "00 00 00 00 00 00 02 'ok'"));
}

TEST(PlainPeer, WhatHasNoneStaysAsItIs) {
    for (const std::string_view pdu :
         {"00000010 00000015 00000000 00000007", "00000015 80000004 00000000 00000007 'ABCD' 00",
          "00000010 80000004 00000058 00000007"}) {
        EXPECT_EQ(plain(pdu), written(pdu));
    }
}

TEST(PlainPeer, ATextThatIsInAParameterBecomesTheShortMessage) {
    EXPECT_EQ(plain("0000002E 00000005 00000000 00000007 00 01 01 'A' 00 01 01 'B' 00 00 00 00"
                    "00 00 00 00 00 00 00  0424 0002 'ok'  0427 0001 02"),
              written("00000025 00000005 00000000 00000007 00 01 01 'A' 00 01 01 'B' 00 00 00 00"
                      "00 00 00 00 00 00 02 'ok'"));
}

TEST(PlainPeer, AReceiptWithoutATextKeepsItsParameters) {
    const std::string_view pdu =
        "0000002E 00000005 00000000 00000007 00 01 01 'A' 00 01 01 'B' 00 04 00 00"
        "00 00 00 00 00 00 00  001E 0002 'A' 00  0427 0001 02";
    EXPECT_EQ(plain(pdu), written(pdu));
}

nio::Bytes withText(smpp::Command command, std::size_t size) {
    smpp::PduWriter pdu(command, Status::ok, 7);
    pdu.text("").number(1).number(1).text("A").number(1).number(1).text("B");
    pdu.number(0).number(0).number(0);
    if (command != smpp::Command::dataSm) {
        pdu.text("").text("").number(0).number(0).number(0).number(0).number(0);
    }
    return pdu.tlv(smpp::Tag::messagePayload, std::string(size, 'x')).finish();
}

TEST(PlainPeer, ATextThatIsTooLongForTheShortMessageIsNotSubmitted) {
    EXPECT_TRUE(plainSubmission(withText(smpp::Command::submitSm, 254)));
    EXPECT_FALSE(plainSubmission(withText(smpp::Command::submitSm, 255)));
}

TEST(PlainPeer, ATextTooLongForShortMessageIsDeliveredAsItIs) {
    const nio::Bytes pdu = withText(smpp::Command::deliverSm, 255);
    EXPECT_EQ(plainDelivery(pdu), pdu);
}

TEST(PlainPeer, GetsADeliverSmForADataSm) {
    const std::optional<nio::Bytes> pdu = plainDelivery(
        octets("0000002B 00000103 00000000 00000007 'WAP' 00 01 02 'A' 00 03 04 'B' 00 40 05 08"
               "0424 0002 'ok'  020A 0002 0001"));
    ASSERT_TRUE(pdu);
    EXPECT_EQ(shown(*pdu),
              written("00000028 00000005 00000000 00000007 'WAP' 00 01 02 'A' 00 03 04 'B' 00"
                      "40 00 00 00 00 05 00 08 00 02 'ok'"));
}

TEST(PlainPeer, GetsNoDataSmThatNoDeliverSmCanHold) {
    EXPECT_TRUE(plainDelivery(withText(smpp::Command::dataSm, 254)));
    EXPECT_FALSE(plainDelivery(withText(smpp::Command::dataSm, 255)));
    EXPECT_FALSE(plainDelivery(
        octets("00000030 00000103 00000000 00000007 00 01 01 '123456789012345678901' 00"
               "01 01 'B' 00 00 00 00")));
}

TEST(PlainPeer, WhatCannotBeReadStaysAsItIs) {
    const std::string_view pdu = "00000013 00000005 00000000 00000007 00 01 01";
    EXPECT_EQ(plain(pdu), written(pdu));
}

TEST(PlainPeer, AnAnswerLosesThemToo) {
    EXPECT_EQ(plain("00000019 80000009 00000000 00000007 'nio' 00 0210 0001 34"),
              written("00000014 80000009 00000000 00000007 'nio' 00"));
}

}  // namespace
}  // namespace router
