// What Pdu.h says about malformed PDUs, row by row, and that no malformation is looked at from
// outside its octets. The sizes are those of SMPP 3.4, chapter 4.
#include <gtest/gtest.h>

#include <smpp/pdu/Pdu.h>

#include "Octets.h"
#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

struct TextRule {
    Command command;
    Field field;
    std::size_t maximum;  // with the NUL
    Status problem;
};

constexpr TextRule texts[] = {
    {Command::bindReceiver, Field::systemId, 16, Status::invSysId},
    {Command::bindReceiver, Field::password, 9, Status::invPaswd},
    {Command::bindReceiver, Field::systemType, 13, Status::invSysTyp},
    {Command::bindReceiver, Field::addressRange, 41, Status::bindFail},
    {Command::bindReceiverResp, Field::systemId, 16, Status::invSysId},
    {Command::bindTransmitter, Field::systemId, 16, Status::invSysId},
    {Command::bindTransmitter, Field::password, 9, Status::invPaswd},
    {Command::bindTransmitter, Field::systemType, 13, Status::invSysTyp},
    {Command::bindTransmitter, Field::addressRange, 41, Status::bindFail},
    {Command::bindTransmitterResp, Field::systemId, 16, Status::invSysId},
    {Command::bindTransceiver, Field::systemId, 16, Status::invSysId},
    {Command::bindTransceiver, Field::password, 9, Status::invPaswd},
    {Command::bindTransceiver, Field::systemType, 13, Status::invSysTyp},
    {Command::bindTransceiver, Field::addressRange, 41, Status::bindFail},
    {Command::bindTransceiverResp, Field::systemId, 16, Status::invSysId},
    {Command::outbind, Field::systemId, 16, Status::invSysId},
    {Command::outbind, Field::password, 9, Status::invPaswd},
    {Command::submitSm, Field::serviceType, 6, Status::invSerTyp},
    {Command::submitSm, Field::sourceAddress, 21, Status::invSrcAdr},
    {Command::submitSm, Field::destinationAddress, 21, Status::invDstAdr},
    {Command::submitSmResp, Field::messageId, 65, Status::invMsgId},
    {Command::submitMulti, Field::serviceType, 6, Status::invSerTyp},
    {Command::submitMulti, Field::sourceAddress, 21, Status::invSrcAdr},
    {Command::submitMultiResp, Field::messageId, 65, Status::invMsgId},
    {Command::deliverSm, Field::serviceType, 6, Status::invSerTyp},
    {Command::deliverSm, Field::sourceAddress, 21, Status::invSrcAdr},
    {Command::deliverSm, Field::destinationAddress, 21, Status::invDstAdr},
    {Command::deliverSmResp, Field::messageId, 65, Status::invMsgId},
    {Command::dataSm, Field::serviceType, 6, Status::invSerTyp},
    {Command::dataSm, Field::sourceAddress, 65, Status::invSrcAdr},
    {Command::dataSm, Field::destinationAddress, 65, Status::invDstAdr},
    {Command::dataSmResp, Field::messageId, 65, Status::invMsgId},
    {Command::querySm, Field::messageId, 65, Status::invMsgId},
    {Command::querySm, Field::sourceAddress, 21, Status::invSrcAdr},
    {Command::querySmResp, Field::messageId, 65, Status::invMsgId},
    {Command::cancelSm, Field::serviceType, 6, Status::invSerTyp},
    {Command::cancelSm, Field::messageId, 65, Status::invMsgId},
    {Command::cancelSm, Field::sourceAddress, 21, Status::invSrcAdr},
    {Command::cancelSm, Field::destinationAddress, 21, Status::invDstAdr},
    {Command::replaceSm, Field::messageId, 65, Status::invMsgId},
    {Command::replaceSm, Field::sourceAddress, 21, Status::invSrcAdr},
    {Command::alertNotification, Field::sourceAddress, 65, Status::invSrcAdr},
    {Command::alertNotification, Field::esmAddress, 65, Status::invDstAdr},
};

constexpr TextRule times[] = {
    {Command::submitSm, Field::scheduleTime, 17, Status::invSched},
    {Command::submitSm, Field::validityPeriod, 17, Status::invExpiry},
    {Command::submitMulti, Field::scheduleTime, 17, Status::invSched},
    {Command::submitMulti, Field::validityPeriod, 17, Status::invExpiry},
    {Command::deliverSm, Field::scheduleTime, 17, Status::invSched},
    {Command::deliverSm, Field::validityPeriod, 17, Status::invExpiry},
    {Command::replaceSm, Field::scheduleTime, 17, Status::invSched},
    {Command::replaceSm, Field::validityPeriod, 17, Status::invExpiry},
    {Command::querySmResp, Field::finalDate, 17, Status::unknownErr},
};

Status problemOf(const nio::Bytes& pdu) {
    const Exactly bytes(pdu);
    const Scanned scanned = scan(bytes.view());
    EXPECT_EQ(scanned.pdu.has_value(), scanned.problem == Status::ok);
    return scanned.problem;
}

// The sample of the command with other octets in one field; without a rest it ends behind them.
nio::Bytes with(Command command, Field field, std::string_view written, bool rest = true) {
    const Sample& sample = sampleOf(command);
    std::string all(sample.header);
    bool before = true;
    for (const SampleField& each : sample.fields) {
        if (each.field == field) {
            all += written;
            before = false;
        } else if (before || rest) {
            all += each.octets;
        }
    }
    for (std::size_t i = 0; rest && i < sample.tlvs.size(); ++i) all += sample.tlvs[i];
    return withLength(octets(all));
}

std::string characters(std::size_t count, std::string_view end = "00") {
    return "'" + std::string(count, '7') + "'" + std::string(end);
}

std::string labelOf(const TextRule& rule) {
    return std::string(nameOf(rule.command)) + " " + std::string(nameOf(rule.field));
}

TEST(MalformedPdu, HasACStringOverItsMaximum) {
    for (const TextRule& rule : texts) {
        SCOPED_TRACE(labelOf(rule));
        EXPECT_EQ(problemOf(with(rule.command, rule.field, "00")), Status::ok);
        EXPECT_EQ(problemOf(with(rule.command, rule.field, characters(rule.maximum - 1))),
                  Status::ok);
        EXPECT_EQ(problemOf(with(rule.command, rule.field, characters(rule.maximum))),
                  rule.problem);
    }
}

TEST(MalformedPdu, HasACStringWithoutItsNul) {
    for (const TextRule& rule : texts) {
        SCOPED_TRACE(labelOf(rule));
        for (std::size_t size = 1; size < rule.maximum; ++size) {
            EXPECT_EQ(problemOf(with(rule.command, rule.field, characters(size, ""), false)),
                      rule.problem);
        }
    }
}

TEST(MalformedPdu, HasATimeOfNeither0Nor16Characters) {
    for (const TextRule& rule : times) {
        SCOPED_TRACE(labelOf(rule));
        for (std::size_t size = 0; size < 20; ++size) {
            EXPECT_EQ(problemOf(with(rule.command, rule.field, characters(size))),
                      size == 0 || size == 16 ? Status::ok : rule.problem);
        }
        EXPECT_EQ(problemOf(with(rule.command, rule.field, characters(16, ""), false)),
                  rule.problem);
    }
}

TEST(MalformedPdu, HasAMessageLengthOver254OrPastTheEnd) {
    for (Command command : {Command::submitSm, Command::deliverSm, Command::submitMulti}) {
        SCOPED_TRACE(nameOf(command));
        const auto lengthOf = [&](std::string_view length, std::size_t octets) {
            return with(command, Field::messageLength, std::string(length) + characters(octets, ""),
                        false);
        };
        EXPECT_EQ(problemOf(lengthOf("00", 0)), Status::ok);
        EXPECT_EQ(problemOf(lengthOf("FE", 254)), Status::ok);
        EXPECT_EQ(problemOf(lengthOf("FF", 255)), Status::invMsgLen);
        EXPECT_EQ(problemOf(lengthOf("01", 0)), Status::invMsgLen);
        EXPECT_EQ(problemOf(lengthOf("FE", 253)), Status::invMsgLen);
        EXPECT_EQ(problemOf(lengthOf("FF", 10)), Status::invMsgLen);
    }
}

TEST(MalformedPdu, HasNoOrTooManyDestinations) {
    const auto count = [](std::string_view number, std::size_t there) {
        std::string all(number);
        for (std::size_t i = 0; i < there; ++i) all += "02 'l' 00";
        return all + std::string(10 * 2, '0');  // the integers, times and sm_length behind them
    };
    const auto multi = [&](std::string_view number, std::size_t there) {
        return problemOf(
            with(Command::submitMulti, Field::destinationCount, count(number, there), false));
    };
    EXPECT_EQ(multi("00", 0), Status::invNumDests);
    EXPECT_EQ(multi("01", 1), Status::ok);
    EXPECT_EQ(multi("FE", 254), Status::ok);
    EXPECT_EQ(multi("FF", 255), Status::invNumDests);
}

struct Row {
    std::string_view what;
    Command command;
    Field field;
    std::string_view octets;
    Status problem;
};

constexpr Row lists[] = {
    {"three SMEs", Command::submitMulti, Field::destinations,
     "01 00 00 '1' 00  01 00 00 '2' 00  01 00 00 00", Status::ok},
    {"dest_flag 0", Command::submitMulti, Field::destinations,
     "01 00 00 '1' 00  00 00 00 '2' 00  02 'l' 00", Status::invDestFlag},
    {"dest_flag 3", Command::submitMulti, Field::destinations, "03 'l' 00", Status::invDestFlag},
    {"an address of 20", Command::submitMulti, Field::destinations,
     "01 00 00 '12345678901234567890' 00  02 'l' 00  02 'l' 00", Status::ok},
    {"an address of 21", Command::submitMulti, Field::destinations,
     "01 00 00 '123456789012345678901' 00  02 'l' 00  02 'l' 00", Status::invDstAdr},
    {"a list's name of 20", Command::submitMulti, Field::destinations,
     "02 'abcdefghijabcdefghij' 00  02 'l' 00  02 'l' 00", Status::ok},
    {"a list's name of 21", Command::submitMulti, Field::destinations,
     "02 'abcdefghijabcdefghija' 00  02 'l' 00  02 'l' 00", Status::invDlName},
    {"an address of 20", Command::submitMultiResp, Field::unsuccess,
     "01 01 '12345678901234567890' 00 0000000B  00 00 00 00000000", Status::ok},
    {"an address of 21", Command::submitMultiResp, Field::unsuccess,
     "01 01 '123456789012345678901' 00 0000000B  00 00 00 00000000", Status::invDstAdr},
    {"none", Command::submitMultiResp, Field::unsuccessCount, "00", Status::ok},
};

constexpr Row endingLists[] = {
    {"no destination", Command::submitMulti, Field::destinations, "", Status::invCmdLen},
    {"no ton", Command::submitMulti, Field::destinations, "01", Status::invCmdLen},
    {"no npi", Command::submitMulti, Field::destinations, "01 01", Status::invCmdLen},
    {"no address", Command::submitMulti, Field::destinations, "01 01 01", Status::invCmdLen},
    {"no NUL", Command::submitMulti, Field::destinations, "01 01 01 '12'", Status::invDstAdr},
    {"no dl_name", Command::submitMulti, Field::destinations, "02", Status::invCmdLen},
    {"no NUL", Command::submitMulti, Field::destinations, "02 'list'", Status::invDlName},
    {"one of three", Command::submitMulti, Field::destinations, "02 'l' 00", Status::invCmdLen},
    {"no address", Command::submitMultiResp, Field::unsuccess, "01 01", Status::invCmdLen},
    {"no NUL", Command::submitMultiResp, Field::unsuccess, "01 01 '12'", Status::invDstAdr},
    {"three octets of an error", Command::submitMultiResp, Field::unsuccess, "01 01 '12' 00 000000",
     Status::invCmdLen},
    {"one of two", Command::submitMultiResp, Field::unsuccess, "01 01 '12' 00 00000000",
     Status::invCmdLen},
    {"none of none", Command::submitMultiResp, Field::unsuccessCount, "00", Status::ok},
};

TEST(MalformedPdu, HasABrokenList) {
    for (const Row& row : lists) {
        EXPECT_EQ(problemOf(with(row.command, row.field, row.octets)), row.problem) << row.what;
    }
    for (const Row& row : endingLists) {
        EXPECT_EQ(problemOf(with(row.command, row.field, row.octets, false)), row.problem)
            << row.what;
    }
}

TEST(MalformedPdu, HasOctetsBehindItsFieldsWhereNoTlvMayFollow) {
    for (Command command : {Command::bindReceiver, Command::bindTransmitter,
                            Command::bindTransceiver, Command::outbind, Command::unbind,
                            Command::querySm, Command::cancelSm, Command::enquireLink}) {
        SCOPED_TRACE(nameOf(command));
        EXPECT_EQ(problemOf(followed(command, "00")), Status::invCmdLen);
        EXPECT_EQ(problemOf(followed(command, "1401 0001 00")), Status::invCmdLen);
    }
}

constexpr Command withTlvs[] = {Command::submitSm,  Command::submitMulti,
                                Command::deliverSm, Command::dataSm,
                                Command::replaceSm, Command::alertNotification};

TEST(MalformedPdu, HasNoWholeTlvsBehindItsFields) {
    for (Command command : withTlvs) {
        SCOPED_TRACE(nameOf(command));
        for (std::string_view broken : {"00", "1401", "140100", "1401 0001", "1401 0002 00",
                                        "1401 FFFF 00", "1401 0000 00", "1401 0001 00 0424 0001"}) {
            EXPECT_EQ(problemOf(followed(command, broken)), Status::invOptParStream) << broken;
        }
        EXPECT_EQ(problemOf(followed(command, "1401 0000  1402 0001 00  1401 0000")), Status::ok);
    }
}

struct TagRule {
    std::uint16_t tag;
    std::size_t least;
    std::size_t most;
};

// SMPP 3.4, 5.3.2; where marked, as 5.0 has it, or because the two are easily mistaken.
constexpr TagRule tagRules[] = {
    {0x0005, 1, 1},
    {0x0006, 1, 1},
    {0x0007, 1, 1},
    {0x0008, 1, 2 /* 2 */},
    {0x000D, 1, 1},
    {0x000E, 1, 1},
    {0x000F, 1, 1},
    {0x0010, 1, 2 /* 1 */},
    {0x0017, 4, 4},
    {0x0019, 1, 1},
    {0x001D, 1, 256},
    {0x001E, 1, 65},
    {0x0030, 1, 1},
    {0x0201, 1, 1},
    {0x0202, 2, 23},
    {0x0203, 2, 23},
    {0x0204, 2, 2},
    {0x0205, 1, 1},
    {0x020A, 2, 2},
    {0x020B, 2, 2},
    {0x020C, 2, 2},
    {0x020D, 1, 1},
    {0x020E, 1, 1},
    {0x020F, 1, 1},
    {0x0210, 1, 1},
    {0x0302, 1, 1},
    {0x0303, 0, 65},
    {0x0304, 1, 1},
    {0x0381, 4, 19},
    {0x0420, 1, 1},
    {0x0421, 1, 1},
    {0x0422, 1, 1},
    {0x0423, 3, 3},
    {0x0425, 1, 1},
    {0x0426, 1, 1},
    {0x0427, 1, 1},
    {0x0501, 1, 1},
    {0x1201, 1, 1},
    {0x1203, 2, 2},
    {0x1204, 1, 4 /* 1; 5.0: 4 */},
    {0x130C, 0, 1 /* 0; 5.0: 1 */},
    {0x1380, 1, 1},
    {0x1383, 2, 2},
    {0x0424, 0, 300 /* any */},
    {0x1400, 0, 300 /* any */},
    {0x0000, 0, 300 /* any */},
};

TEST(MalformedPdu, HasATlvWhoseLengthIsWrongForItsTag) {
    for (const TagRule& rule : tagRules) {
        for (std::size_t size = 0; size <= 300; ++size) {
            nio::Bytes pdu =
                octets("00000000 00000102 00000000 00000001 000000 000000 1401 0000 0000 0000");
            const std::size_t head = pdu.size() - 4;
            pdu[head] = static_cast<nio::Byte>(rule.tag >> 8);
            pdu[head + 1] = static_cast<nio::Byte>(rule.tag & 0xFF);
            pdu[head + 2] = static_cast<nio::Byte>(size >> 8);
            pdu[head + 3] = static_cast<nio::Byte>(size & 0xFF);
            pdu.resize(pdu.size() + size);
            const bool fits = size >= rule.least && size <= rule.most;
            ASSERT_EQ(problemOf(withLength(pdu)), fits ? Status::ok : Status::invParLen)
                << rule.tag << " of " << size;
        }
    }
}

TEST(MalformedPdu, DoesNotHaveTheLengthThatItSays) {
    EXPECT_EQ(problemOf({}), Status::invCmdLen);
    EXPECT_EQ(problemOf(octets("00000010 00000015 00000000 000000")), Status::invCmdLen);
    EXPECT_EQ(problemOf(octets("00000011 00000015 00000000 00000001")), Status::invCmdLen);
    EXPECT_EQ(problemOf(octets("0000000F 00000015 00000000 00000001")), Status::invCmdLen);
    EXPECT_EQ(problemOf(octets("FFFFFFFF 00000015 00000000 00000001")), Status::invCmdLen);
}

TEST(MalformedPdu, TellsItsHeaderForTheAnswer) {
    const Scanned scanned = scan(followed(Command::enquireLink, "00"));
    EXPECT_FALSE(scanned.pdu);
    EXPECT_EQ(scanned.header.command, Command::enquireLink);
    EXPECT_EQ(scanned.header.sequence, 0x15u);
    EXPECT_EQ(scan(octets("00000010 000000")).header.sequence, 0u);
}

TEST(MalformedPdu, IsJudgedByItsFirstProblem) {
    const std::string longAddress = characters(30);
    EXPECT_EQ(problemOf(pduOf("00000004 00000000 00000001 'toolong' 00 01 01" + longAddress)),
              Status::invSerTyp);
    EXPECT_EQ(problemOf(pduOf("00000004 00000000 00000001 00 01 01" + longAddress + "FF")),
              Status::invSrcAdr);
}

TEST(Lenience, TakesShortMessageAndMessagePayloadAtOnce) {
    EXPECT_EQ(problemOf(followed(Command::submitSm, "0424 0003 'abc'")), Status::ok);
}

TEST(Lenience, TakesTheSameTlvTwice) {
    EXPECT_EQ(problemOf(followed(Command::submitSm, "0204 0002 0001 0204 0002 0002")), Status::ok);
}

TEST(Lenience, TakesAnyIntegerWhatever3_4MakesOfIt) {
    for (Field field : {Field::sourceTon, Field::sourceNpi, Field::esmClass, Field::priority,
                        Field::registeredDelivery, Field::replaceIfPresent, Field::dataCoding}) {
        EXPECT_EQ(problemOf(with(Command::submitSm, field, "FF")), Status::ok) << nameOf(field);
    }
}

}  // namespace
}  // namespace smpp
