// What is believed of an answer whose fields are well, but not what follows them.
#include <gtest/gtest.h>

#include <smpp/pdu/Pdu.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

std::size_t believed(const nio::Bytes& pdu) {
    const Exactly bytes(pdu);
    const Scanned scanned = scan(bytes.view());
    EXPECT_EQ(scanned.pdu->header().length, scanned.pdu->bytes().size());
    return scanned.pdu->bytes().size();
}

TEST(MalformedAnswer, EndsBeforeTheTlvThatIsWrong) {
    for (Command command :
         {Command::bindReceiverResp, Command::bindTransmitterResp, Command::bindTransceiverResp,
          Command::submitSmResp, Command::submitMultiResp, Command::deliverSmResp,
          Command::dataSmResp}) {
        SCOPED_TRACE(nameOf(command));
        const std::size_t whole = sampleOf(command).pdu().size();
        for (std::string_view broken : {"00", "1401", "1401 0001", "1401 FFFF 00", "0427 0000"}) {
            EXPECT_EQ(believed(followed(command, broken)), whole) << broken;
        }
        EXPECT_EQ(believed(followed(command, "1401 0001 00  0424 0001")), whole + 5);
        EXPECT_EQ(believed(followed(command, "1401 0000  0427 0002 0101  1402 0000")), whole + 4);
    }
}

TEST(MalformedAnswer, EndsBehindItsFieldsWhereNoTlvMayFollow) {
    for (Command command : {Command::unbindResp, Command::querySmResp, Command::cancelSmResp,
                            Command::replaceSmResp, Command::enquireLinkResp}) {
        SCOPED_TRACE(nameOf(command));
        EXPECT_EQ(believed(followed(command, "1401 0001 00")), sampleOf(command).pdu().size());
    }
}

}  // namespace
}  // namespace smpp
