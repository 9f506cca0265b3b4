#include "SessionTesting.h"

#include <smpp/pdu/PduWriter.h>
#include <smpp/session/ShortAnswer.h>

namespace smpp {
namespace {

using namespace smpp::smpptest;

nio::Bytes bytesOf(const ShortAnswer& answer) {
    return nio::copyOf(answer.bytes());
}

TEST(ShortAnswer, IsTheOctetsOfTheSpecification) {
    EXPECT_EQ(bytesOf(ShortAnswer(Command::enquireLink, Status::ok, 7)),
              rawPdu(16, 0x80000015, 0, 7));
    EXPECT_EQ(bytesOf(ShortAnswer(Command::submitSm, Status::throttled, 0x01020304)),
              rawPdu(16, 0x80000004, 0x58, 0x01020304));
    EXPECT_EQ(bytesOf(ShortAnswer(Command::deliverSm, Status::ok, 0x7FFFFFFF)),
              rawPdu(17, 0x80000005, 0, 0x7FFFFFFF, "\0"sv));
    EXPECT_EQ(bytesOf(ShortAnswer::genericNack(Status::invCmdLen, 0)),
              rawPdu(16, 0x80000000, 2, 0));
}

TEST(ShortAnswer, IsAGenericNackWhereTheRequestHasNoResponse) {
    EXPECT_EQ(bytesOf(ShortAnswer(Command::alertNotification, Status::invBndSts, 5)),
              rawPdu(16, 0x80000000, 4, 5));
    EXPECT_EQ(bytesOf(ShortAnswer(Command::outbind, Status::invBndSts, 5)),
              rawPdu(16, 0x80000000, 4, 5));
}

TEST(ShortAnswer, IsWhatThePduRoomAnswers) {
    for (Command command : allCommands()) {
        if (isResponse(command) || !hasResponse(command)) continue;
        for (Status status : {Status::ok, Status::sysErr}) {
            EXPECT_EQ(bytesOf(ShortAnswer(command, status, 9)), answer(command, status, 9))
                << nameOf(command);
        }
    }
    EXPECT_EQ(bytesOf(ShortAnswer::genericNack(Status::invCmdId, 3)),
              genericNack(Status::invCmdId, 3));
}

TEST(ShortAnswer, CanBeReadAgain) {
    for (Command command : allCommands()) {
        if (isResponse(command)) continue;
        EXPECT_TRUE(scan(ShortAnswer(command, Status::ok, 9).bytes()).pdu) << nameOf(command);
    }
}

}  // namespace
}  // namespace smpp
