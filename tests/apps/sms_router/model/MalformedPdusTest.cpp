#include "sms_router/model/MalformedPdus.h"

#include <gtest/gtest.h>

#include "smpp/pdu/Octets.h"
#include "support/LogCapture.h"

namespace router {
namespace {

using smpp::Status;
using smpp::smpptest::octets;

std::string lineOf(std::string_view pdu, bool isBound = true) {
    return MalformedPdus::line("connector 'smsc'", "10.1.2.3:2775", isBound, Status::invParLen,
                               octets(pdu));
}

TEST(MalformedPdus, LineHasPeerReasonAndOctets) {
    EXPECT_EQ(lineOf("00000012 00000005 00000000 00000009 ABCD"),
              "connector 'smsc': malformed deliver_sm from 10.1.2.3:2775: ESME_RINVPARLEN; 18 "
              "octets: 00000012000000050000000000000009abcd");
    EXPECT_EQ(lineOf("00000013 80000004 00000000 00000009 414243"),
              "connector 'smsc': malformed submit_sm_resp from 10.1.2.3:2775: ESME_RINVPARLEN; 19 "
              "octets: 00000013800000040000000000000009414243");
    EXPECT_EQ(lineOf("00000004"),
              "connector 'smsc': malformed PDU from 10.1.2.3:2775: ESME_RINVPARLEN; 4 octets: "
              "00000004");
}

TEST(MalformedPdus, LineHasTheFirst64Octets) {
    nio::Bytes pdu = octets("00000064 00000004 00000000 00000009");
    pdu.resize(100, nio::Byte{0xEE});
    const std::string line =
        MalformedPdus::line("account 'a'", "peer", true, Status::invMsgLen, pdu);
    std::string last;
    for (int i = 16; i < 64; ++i) last += "ee";
    EXPECT_TRUE(line.ends_with("; first 64 of 100 octets: 00000064000000040000000000000009" + last))
        << line;
}

TEST(MalformedPdus, LineHasNoOctetOfWhatMayBeAPassword) {
    for (const auto& [bind, shown] : {std::pair("00000001", "00000001"),
                                      {"00000002", "00000002"},
                                      {"00000009", "00000009"},
                                      {"0000000B", "0000000b"}}) {
        const std::string line =
            lineOf("00000018 " + std::string(bind) + " 00000000 00000001 'secretpw'");
        EXPECT_TRUE(line.ends_with("; first 16 of 24 octets: 00000018" + std::string(shown) +
                                   "0000000000000001"))
            << line;
    }
    const std::string unbound = lineOf("00000018 00000004 00000000 00000001 'secretpw'", false);
    EXPECT_EQ(unbound, "connector 'smsc': malformed submit_sm from 10.1.2.3:2775: ESME_RINVPARLEN");
}

TEST(MalformedPdus, AreCountedByReasonAndLoggedOnceASecond) {
    support::LogCapture log;
    MalformedPdus pdus;
    const nio::Bytes pdu = octets("00000010 00000004 00000000 00000009");
    for (int i = 0; i < 1000; ++i) pdus.note("account 'a'", "peer", true, Status::invMsgLen, pdu);
    pdus.note("account 'a'", "peer", true, Status::invParLen, pdu);
    EXPECT_EQ(pdus.counts(),
              (MalformedPdus::Counts{{Status::invMsgLen, 1000}, {Status::invParLen, 1}}));
    EXPECT_EQ(pdus.last().text, "malformed submit_sm from peer: ESME_RINVPARLEN");
    EXPECT_GE(log.lines().size(), 1u);
    EXPECT_LE(log.lines().size(), 60u) << "a minute for a thousand of them";
}

}  // namespace
}  // namespace router
