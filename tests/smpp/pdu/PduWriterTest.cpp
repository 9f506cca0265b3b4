#include <gtest/gtest.h>

#include <smpp/pdu/PduWriter.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

void expectOctets(const nio::Bytes& written, std::string_view expected) {
    EXPECT_EQ(shown(written), shown(octets(expected)));
}

TEST(PduWriter, WritesAHeaderWithItsLength) {
    expectOctets(PduWriter(Command::enquireLink, Status::ok, 0x01020304).finish(),
                 "00000010 00000015 00000000 01020304");
    expectOctets(PduWriter(Command::submitSmResp, static_cast<Status>(0x412), 0xFFFFFFFF).finish(),
                 "00000010 80000004 00000412 FFFFFFFF");
}

TEST(PduWriter, WritesASubmitSmAsTheSpecificationLaysItOut) {
    const nio::Bytes written = PduWriter(Command::submitSm, Status::ok, 4)
                                   .text("CMT")
                                   .number(5)
                                   .number(0)
                                   .text("Sender")
                                   .number(1)
                                   .number(1)
                                   .text("46701234567")
                                   .number(3)
                                   .number(0x11)
                                   .number(2)
                                   .text("991231235959000+")
                                   .text("000002000000000R")
                                   .number(3)
                                   .number(1)
                                   .number(0xF5)
                                   .number(7)
                                   .number(5)
                                   .octets(nio::asBytes("Hello"))
                                   .tlv(Tag::userMessageReference, 0x1234, 2)
                                   .tlv(static_cast<Tag>(0x1401), "abc")
                                   .tlv(Tag::destAddrSubunit, 1, 1)
                                   .finish();
    EXPECT_EQ(shown(written), shown(sampleOf(Command::submitSm).pdu()));
}

TEST(PduWriter, EndsATextAtItsFirstNul) {
    using namespace std::string_view_literals;
    expectOctets(PduWriter(Command::submitSmResp, Status::ok, 1).text("ab\0cd"sv).text({}).finish(),
                 "00000014 80000004 00000000 00000001 'ab' 00 00");
}

TEST(PduWriter, WritesIntegerTlvsInTheirSize) {
    expectOctets(PduWriter(Command::dataSmResp, Status::ok, 1)
                     .tlv(Tag::qosTimeToLive, 0x01020304, 4)
                     .tlv(Tag::sourcePort, 0x23F0, 2)
                     .tlv(Tag::messageState, 0x02, 1)
                     .tlv(Tag::alertOnMessageDelivery, nio::ByteView{})
                     .finish(),
                 "00000027 80000103 00000000 00000001"
                 "0017 0004 01020304  020A 0002 23F0  0427 0001 02  130C 0000");
}

TEST(Answer, HasNoBodyInAnError) {
    for (Command request : {Command::bindReceiver, Command::bindTransmitter,
                            Command::bindTransceiver, Command::submitSm, Command::submitMulti,
                            Command::querySm, Command::cancelSm, Command::replaceSm}) {
        const nio::Bytes made = answer(request, Status::throttled, 9);
        EXPECT_EQ(made.size(), 16u) << nameOf(request);
        EXPECT_EQ(shown(nio::ByteView(made).subspan(8)), "0000005800000009");
    }
}

TEST(Answer, WritesTheEmptyMessageIdOfDeliverSmResp) {
    for (Status status : {Status::ok, Status::xTAppn}) {
        EXPECT_EQ(answer(Command::deliverSm, status, 1).size(), 17u);
        EXPECT_EQ(answer(Command::dataSm, status, 1).size(), 17u);
    }
    expectOctets(answer(Command::deliverSm, Status::xTAppn, 5),
                 "00000011 80000005 00000064 00000005 00");
}

TEST(Answer, HasTheMandatoryFieldsOfASuccess) {
    expectOctets(answer(Command::submitSm, Status::ok, 5),
                 "00000011 80000004 00000000 00000005 00");
    expectOctets(answer(Command::submitMulti, Status::ok, 5),
                 "00000012 80000021 00000000 00000005 00 00");
    expectOctets(answer(Command::querySm, Status::ok, 5),
                 "00000014 80000003 00000000 00000005 00 00 00 00");
    expectOctets(answer(Command::bindReceiver, Status::ok, 5),
                 "00000011 80000001 00000000 00000005 00");
    expectOctets(answer(Command::enquireLink, Status::ok, 5),
                 "00000010 80000015 00000000 00000005");
    expectOctets(answer(Command::unbind, Status::ok, 5), "00000010 80000006 00000000 00000005");
}

TEST(GenericNack, IsAHeaderWithAStatus) {
    expectOctets(genericNack(Status::invCmdId, 0x2A), "00000010 80000000 00000003 0000002A");
}

}  // namespace
}  // namespace smpp
