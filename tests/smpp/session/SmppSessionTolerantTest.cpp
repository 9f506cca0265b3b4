// The table "Tolerant reading" of docs/smpp.md: every row.
#include "TolerantTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

TEST(SmppSessionTolerant, AnUnknownCommandIsReported) {
    for (const Side side : {Side::esme, Side::smsc}) {
        Tolerant owner(side);
        owner.receives(rawPdu(19, 0xBAD, 0, 7, "any"));
        EXPECT_EQ(owner.malformed, 1);
        EXPECT_EQ(owner.answer, Status::invCmdId);
        owner.receives(rawPdu(19, 0x80000BAD, 0, 7, "any"));
        EXPECT_EQ(owner.malformed, 2);
    }
}

TEST(SmppSessionTolerant, PassesOddLengthsOnWithTheirOctets) {
    const std::string bodies[] = {
        bodyWith("SYSTEM", "1", "", "\2hi"),
        bodyWith("", std::string(21, '4'), "", "\2hi"),
        bodyWith("", std::string(64, '4'), "", "\2hi"),
        bodyWith("", "1", "2001010101", "\2hi"),
        bodyWith("", "1", std::string(64, '0'), "\2hi"),
        bodyWith("", "1", "", "\xFF" + std::string(255, 'x')),
        plain + "\2\4\0\1\7"s,          // user_message_reference of 1 octet
        plain + "\4\x23\0\4\0\0\0\3"s,  // network_error_code of 4
        plain + "\0\x1E\0\0"s,          // receipted_message_id of none
    };
    for (const Side side : bothSides) {
        for (const std::string& body : bodies) {
            const Read session(side, body);
            EXPECT_EQ(session.arrived, body);
            EXPECT_EQ(session.malformed, 0);
        }
    }
}

TEST(SmppSessionTolerant, PassesLongIdsAndAddressesOn) {
    Tolerant smsc(Side::smsc);
    const std::string query = std::string(1023, 'a') + "\0\1\1"s + "1\0"s;
    smsc.receives(pduOf(Command::querySm, 9, query));
    EXPECT_EQ(smsc.arrived, query);
    const auto alert = [](std::size_t octets) {
        const std::string address = "\1\1" + std::string(octets, '4') + '\0';
        return address + address;
    };
    Tolerant esme(Side::esme);
    esme.receives(pduOf(Command::alertNotification, 9, alert(256)));
    EXPECT_EQ(esme.answer, Status::invSrcAdr);
    esme.receives(pduOf(Command::alertNotification, 9, alert(255)));
    EXPECT_EQ(esme.arrived, alert(255));
}

TEST(SmppSessionTolerant, PassesOn255Destinations) {
    std::string body = "\0\1\1"s + "1\0\xFF"s;
    for (int i = 0; i < 255; ++i) body += "\1\1\1"s + "2\0"s;
    body += "\0\0\0\0\0\0\0\0\0\2hi"s;
    Tolerant session(Side::smsc);
    session.receives(pduOf(Command::submitMulti, 9, body));
    EXPECT_EQ(session.arrived, body);
    EXPECT_EQ(session.malformed, 0);
}

TEST(SmppSessionTolerant, TakesATlvBehindACommandWithout) {
    const std::string tlv = "\x14\1\0\2hi"s;
    for (const Command command : {Command::querySm, Command::cancelSm}) {
        Tolerant session(Side::smsc);
        const std::string body = std::string(bodyOf(command)) + tlv;
        session.receives(pduOf(command, 9, body));
        EXPECT_EQ(session.arrived, body) << nameOf(command);
        EXPECT_EQ(session.malformed, 0);
    }
    for (const Side side : bothSides) {
        Tolerant session(side);
        session.answer = Status::sysErr;
        session.receives(pduOf(Command::enquireLink, 9, tlv));
        EXPECT_EQ(session.answer, Status::ok);
        EXPECT_EQ(session.malformed, 0);
    }
}

TEST(SmppSessionTolerant, AddsTheLastNulOfAnAlert) {
    const std::string alert(bodyOf(Command::alertNotification));
    Tolerant session(Side::esme);
    session.receives(pduOf(Command::alertNotification, 9, alert.substr(0, alert.size() - 1)));
    EXPECT_EQ(session.arrived, alert);
    EXPECT_EQ(session.malformed, 1) << "it is told of";
}

TEST(SmppSessionTolerant, RefusesAnEsmesLastStringWithoutItsNul) {
    Tolerant session(Side::smsc);
    session.receives(pduOf(Command::querySm, 9, "17\0\1\1"s + "41"));
    EXPECT_EQ(session.answer, Status::invSrcAdr);
    EXPECT_FALSE(session.arrived);
}

TEST(SmppSessionTolerant, DropsUncountedNuls) {
    const std::string sar = "\2\x0C\0\2\0\x09\2\x0E\0\1\2\2\x0F\0\1\1"s;
    const std::string id = "\0\x1E\0\2"s + "7\0"s;
    for (const Side side : bothSides) {
        for (const std::size_t nuls : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 13u, 16u, 17u, 40u}) {
            const std::string padding(nuls, '\0');
            EXPECT_EQ(Read(side, plain + padding).arrived, plain) << nuls;
            EXPECT_EQ(Read(side, plain + padding + sar).arrived, plain + sar) << nuls;
            EXPECT_EQ(Read(side, plain + padding + id).tlvs, id) << nuls;
            EXPECT_EQ(Read(side, plain + id + padding + sar).tlvs, id + sar) << nuls;
            EXPECT_EQ(Read(side, plain + sar + padding + id).tlvs, sar + id) << nuls;
            const std::string empty = "\0\x1E\0\0"s;
            EXPECT_EQ(Read(side, plain + empty + padding + sar).tlvs, empty + sar) << nuls;
            EXPECT_EQ(Read(side, plain + padding + empty + padding).tlvs, empty) << nuls;
        }
        EXPECT_EQ(Read(side, plain + sar + "\0"s).arrived, plain + sar);
        // The length of a TLV of tag 0 may be read into what follows few NULs.
        const std::string others[] = {"\4\x27\0\1\2"s,
                                      "\2\4\0\2\0\1"s,
                                      "\4\x24\0\2hi"s,
                                      "\4\x23\0\3\3\0\1"s,
                                      "\2\1\0\1\0"s,
                                      "\0\x1E\0\x1C"s + std::string(28, '7'),
                                      "\0\x1E\0\x1D"s + std::string(29, '7'),
                                      "\0\x1E\0\x1E"s + std::string(30, '7'),
                                      "\4\x27\0\1\2\2\4\0\2\0\1"s};
        for (const std::string& tlv : others) {
            for (std::size_t nuls = 1; nuls < 10; ++nuls) {
                const std::string padding(nuls, '\0');
                EXPECT_EQ(Read(side, plain + padding + tlv).tlvs, tlv) << nuls;
                EXPECT_EQ(Read(side, plain + sar + padding + tlv).tlvs, sar + tlv) << nuls;
                EXPECT_EQ(Read(side, plain + padding + tlv + padding).tlvs, tlv) << nuls;
                EXPECT_EQ(Read(side, plain + padding + tlv + padding + sar).tlvs, tlv + sar);
            }
        }
        // A NUL of another value is where TLVs of tag 0 seem to end.
        for (const std::size_t characters : {40u, 150u, 151u, 152u, 400u}) {
            std::string text;
            for (std::size_t i = 0; i < characters; ++i) text += "\0a"s;
            const std::string size{char(text.size() >> 8), char(text.size())};
            const std::string payload = "\4\x24"s + size + text;
            for (const std::string& tlv : {"\2\1\0\1\3"s, "\x14\0\0\1\3"s}) {
                EXPECT_EQ(Read(side, plain + "\0"s + tlv + payload).tlvs, tlv + payload)
                    << characters;
            }
        }
        for (const std::string& ofTag0 : {"\0\0\0\1\7"s, "\0\0\0\2ab"s,
                                          "\0\0\0\x9"
                                          "123456789"s})
            EXPECT_EQ(Read(side, plain + ofTag0).arrived, plain + ofTag0) << "it has a value";
    }
}

TEST(SmppSessionTolerant, DropsManyPaddingsBeforeManyNuls) {
    constexpr std::size_t paddings = 2900;
    constexpr std::size_t lastNuls = 30'000;
    std::string tlvs;
    std::string body = bodyWith("", "1", "", "\0"s);
    const std::string fields = body;
    for (std::size_t i = 0; i < paddings; ++i) {
        const std::size_t left = (paddings - 1 - i) * 11;
        const std::string tlv =
            "\3\xFF\0\4\1\1"s + static_cast<char>(left >> 8) + static_cast<char>(left & 0xFF);
        body += "\0\0\0"s + tlv;
        tlvs += tlv;
    }
    EXPECT_EQ(Read(Side::esme, body + std::string(lastNuls, '\0')).tlvs, tlvs);
    const Read refused(Side::smsc, body + std::string(lastNuls, '\0') + "\1");
    EXPECT_EQ(refused.answer, Status::invOptParStream);
}

// The NUL of an id that its length leaves out.
TEST(SmppSessionTolerant, FindsTheTlvBehindAnIdWithoutItsNul) {
    const std::string id = "\0\x1E\0\4"s + "5013";
    const std::string state = "\4\x27\0\1\2"s;
    for (const Side side : bothSides) {
        const Read session(side, plain + id + "\0"s + state);
        EXPECT_EQ(session.tlvs, id + state);
        EXPECT_EQ(session.malformed, 0);
    }
}

TEST(SmppSessionTolerant, DropsPaddingBeforeACutTlvOfAnSmsc) {
    const Read session(Side::esme, plain + std::string(4, '\0') + "\x14\3\0\x8"s + "123");
    EXPECT_EQ(session.tlvs, "\x14\3\0\3"s + "123");
}

TEST(SmppSessionTolerant, MendsACutTlvOfAnSmsc) {
    const std::pair<std::string, std::string> tails[] = {
        {"\x14\3"s, ""},
        {"\x14\3\0\x8"s + "123", "\x14\3\0\3"s + "123"},
        {"\x14\3\xFF\xFF"s, "\x14\3\0\0"s},
        {"\4\x27\0\1\2\x14\x54\0\4\0"s, "\4\x27\0\1\2\x14\x54\0\1\0"s},
    };
    for (const auto& [cut, mended] : tails) {
        const Read session(Side::esme, plain + cut);
        EXPECT_EQ(session.arrived, plain + mended);
        EXPECT_EQ(session.malformed, 1) << "it is told of";
        const Read refused(Side::smsc, plain + cut);
        EXPECT_FALSE(refused.arrived);
        EXPECT_EQ(refused.answer, Status::invOptParStream);
    }
}

TEST(SmppSessionTolerant, DeliversWhatCameOfACutMessage) {
    const std::string cut = bodyWith("", "1", "",
                                     "\x09"
                                     "id:7");
    EXPECT_EQ(Read(Side::esme, cut).message, "id:7");
    EXPECT_EQ(Read(Side::smsc, cut).answer, Status::invMsgLen);
}

TEST(SmppSessionTolerant, RefusesWhatItCannotRead) {
    for (const Side side : bothSides) {
        EXPECT_EQ(Read(side, "\0\1\1"s).answer, Status::invCmdLen);
        const std::size_t most = side == Side::smsc ? 64 : 255;
        EXPECT_EQ(Read(side, bodyWith("", std::string(most + 1, '4'), "", "\0"s)).answer,
                  Status::invSrcAdr);
        EXPECT_TRUE(Read(side, bodyWith("", std::string(most, '4'), "", "\0"s)).arrived);
    }
}

TEST(SmppSessionTolerant, TakesAnyAnswerThatSaysOk) {
    const std::pair<std::string, std::string> bodies[] = {
        {"", ""},
        {"abcdef01", "abcdef01"},
        {std::string(70, 'b') + "\0"s, std::string(70, 'b')},
        {std::string(1023, 'b') + "\0"s, std::string(1023, 'b')},
        {"ff01\0\0"s, "ff01"},
        {std::string(1400, 'b'), ""},
        // The NUL is missing, and TLVs follow.
        {"abcdef01\4\x25\0\1\0"s, "abcdef01"},
        {"abcdef01\4\x23\0\3\3\0\1"s, "abcdef01"},
        {"abcdef01\0\x1D\0\2no"s, "abcdef01"},
        {"abcdef01\4\x25\0\1\0\x14\1\0\2hi"s, "abcdef01"},
        {"abcdef01\x14\1\1\1"s + std::string(257, 'x'), "abcdef01"},
        {"\4\x25\0\1\0"s, ""},
        // A well-formed one, whose TLV would fit there too.
        {"ab\4c\0\4\x27\0\1\2"s, "ab\4c"},
        {"abcdef01\0\4\x25\0"s, "abcdef01"},
        // An id ends before its first control character, or not at all.
        {"ab\4\4\4\x25\0\1\0"s, "ab\4\4\4\x25"},
        {std::string(1024, '\4') + std::string(60'000, '\0') + "\1", ""},
    };
    for (const auto& [body, id] : bodies) {
        Tolerant session(Side::esme);
        session.requests();
        session.receives(pduOf(Command::submitSmResp, 2, body));
        EXPECT_EQ(session.id, id);
        EXPECT_EQ(session.answer, Status::ok);
    }
}

// Those behind the id that were not accepted are unknown then: no status is made up.
TEST(SmppSessionTolerant, KeepsTheIdOfACutAnswer) {
    for (const std::string& body :
         {"17\0\2\1\1"s + "1\0\0\0\0\1\1\1"s, "17\0\1"s, "17\0"s, "17"s, "17\0\1\1\1"s + "4179"s,
          "17\4\x25\0\1\0"s, "17\0\1\1\1"s + "1\0\0\0\x58"s}) {
        Tolerant session(Side::esme);
        session.requests(Command::submitMulti);
        session.receives(pduOf(Command::submitMultiResp, 2, body));
        EXPECT_EQ(session.id, "17") << body;
        EXPECT_EQ(session.arrived->substr(0, 4), "17\0\0"s) << body;
        EXPECT_EQ(session.answer, Status::ok);
    }
}

TEST(SmppSessionTolerant, LosesAQueryWhoseAnswerIsCut) {
    for (const std::string& body :
         {"17"s, "17\0"s, "17\0\0"s, "17\0\0\2"s, std::string(1400, 'b')}) {
        Tolerant session(Side::esme);
        session.requests(Command::querySm);
        session.receives(pduOf(Command::querySmResp, 2, body));
        EXPECT_FALSE(session.arrived) << body;
        EXPECT_NE(session.answer, Status::ok) << body;
    }
}

TEST(SmppSessionTolerant, PassesAnErrorOnWithoutItsBody) {
    Tolerant session(Side::esme);
    session.requests();
    session.receives(pduOf(Command::submitSmResp, 2, std::string(1400, 'b'), Status::throttled));
    EXPECT_EQ(session.id, "");
    EXPECT_EQ(session.answer, Status::throttled);
}

TEST(SmppSessionTolerant, FindsTheVersionInSeveralOctets) {
    const std::pair<std::string, int> versions[] = {{"\0\2\0\x33"s, 0x33},
                                                    {"\0\2\x33\0"s, 0x33},
                                                    {"\0\4\0\0\0\x33"s, 0x33},
                                                    {"\0\2\0\0"s, 0x34}};
    for (const auto& [octets, version] : versions) {
        Owned esme(tolerant(Side::esme));
        esme.session.bind({Command::bindTransceiver, "e", "p", "", 0, 0, ""}, esme.now);
        esme.receives(pduOf(Command::bindTransceiverResp, 1, "smsc\0\2\x10"s + octets));
        EXPECT_EQ(esme.session.peerVersion(), version);
    }
}

TEST(SmppSessionTolerant, TakesAnyBindAnswerThatSaysOk) {
    for (const std::string& body :
         {""s, "smsc"s, std::string(20, 's') + "\0"s, "smsc\0\2\x10\0\2\0\x34"s,
          "smsc\2\x10\0\1\x34"s, "smsc\0\2\x10\0\2\x34\0"s, "smsc\0\2\x10\0\0"s,
          std::string(90, 's')}) {
        Owned esme(tolerant(Side::esme));
        esme.session.bind({Command::bindTransceiver, "e", "p", "", 0, 0, ""}, esme.now);
        esme.receives(pduOf(Command::bindTransceiverResp, 1, body));
        EXPECT_TRUE(esme.session.isBound()) << body;
        EXPECT_EQ(esme.session.peerVersion(), 0x34);
    }
}

TEST(SmppSessionTolerant, LetsAnOddBindTryAgain) {
    Owned smsc(tolerant(Side::smsc));
    const std::string password(12, 'p');
    smsc.receives(pduOf(Command::bindReceiver, 7, "e\0"s + password + "\0\0\x34\0\0\0"s));
    EXPECT_EQ(smsc.news(), (Lines{"bindRequested bind_receiver 7"}));
    smsc.session.refuseBind(Status::invPaswd, smsc.now);
    EXPECT_EQ(smsc.news(), (Lines{"> bind_receiver_resp 7 ESME_RINVPASWD"}));
    smsc.receives(Command::bindReceiver, 8);
    EXPECT_EQ(smsc.news(), (Lines{"bindRequested bind_receiver 8"}));
}

}  // namespace
}  // namespace smpp
