#include "sms_router/egress/Accepted.h"

#include <gtest/gtest.h>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

using smpp::smpptest::octets;
using smpp::smpptest::shown;
using smpp::smpptest::written;

constexpr MessageId ours = 0x00700000000000A1;

// What the ESME gets for this answer of the SMSC, under its own number 0x55.
std::string answered(std::string_view answer) {
    const nio::Bytes bytes = octets(answer);
    const smpp::Scanned scanned = smpp::scan(bytes);
    EXPECT_TRUE(scanned.pdu);
    return scanned.pdu ? shown(answerWith(*scanned.pdu, 0x55, ours)) : "";
}

TEST(Accepted, TheAnswerHasOurIdAndTheEsmesNumber) {
    EXPECT_EQ(answered("00000015 80000004 00000000 00000007 'ABCD' 00"),
              written("00000021 80000004 00000000 00000055 '00700000000000A1' 00"));
}

TEST(Accepted, OptionalParametersStayAsTheyCame) {
    // additional_status_info_text, and one that nobody knows.
    EXPECT_EQ(answered("00000020 80000004 00000000 00000007 'A' 00"
                       "001D 0003 'ok' 00  1401 0003 010203"),
              written("0000002F 80000004 00000000 00000055 '00700000000000A1' 00"
                      "001D 0003 'ok' 00  1401 0003 010203"));
}

TEST(Accepted, AnAnswerWithoutABodyGetsOne) {
    EXPECT_EQ(answered("00000010 80000004 00000000 00000007"),
              written("00000021 80000004 00000000 00000055 '00700000000000A1' 00"));
    EXPECT_EQ(answered("00000010 80000103 00000000 00000007"),
              written("00000021 80000103 00000000 00000055 '00700000000000A1' 00"));
}

TEST(Accepted, AnEmptyIdIsReplacedToo) {
    EXPECT_EQ(answered("00000011 80000004 00000000 00000007 00"),
              written("00000021 80000004 00000000 00000055 '00700000000000A1' 00"));
}

TEST(Accepted, OfSubmitMultiTheUnsuccessfulStay) {
    EXPECT_EQ(answered("0000001F 80000021 00000000 00000007 'ABCD' 00 01 01 01 '12' 00 0000000B"),
              written("0000002B 80000021 00000000 00000055 '00700000000000A1' 00"
                      "01 01 01 '12' 00 0000000B"));
    EXPECT_EQ(answered("00000010 80000021 00000000 00000007"),
              written("00000022 80000021 00000000 00000055 '00700000000000A1' 00 00"));
}

TEST(Accepted, FlagsSayWhatIsRemembered) {
    IdEntry entry;
    EXPECT_EQ(flagsOf(entry), 0u);
    entry.severalDestinations = true;
    EXPECT_EQ(flagsOf(entry), severalDestinationsFlag);
    entry.wantsReceipt = true;
    EXPECT_EQ(flagsOf(entry), severalDestinationsFlag | wantsReceiptFlag);
    entry.otherDestination = true;
    EXPECT_EQ(flagsOf(entry), 7u);
}

}  // namespace
}  // namespace router
