#include "sms_router/link/PlainPeer.h"

#include <gtest/gtest.h>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

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

TEST(PlainPeer, ATextThatIsInAParameterStays) {
    const std::string_view pdu =
        "0000002E 00000005 00000000 00000007 00 01 01 'A' 00 01 01 'B' 00 00 00 00"
        "00 00 00 00 00 00 00  0424 0002 'ok'  0427 0001 02";
    EXPECT_EQ(plain(pdu), written(pdu));
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
