// Each row of the table "Tolerant reading" of docs/smpp.md is off in a strict reading.
#include "TolerantTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

SessionOptions optionsFor(Side side, Reading reading) {
    SessionOptions options = untimed(side);
    options.reading = reading;
    return options;
}

// Whether a bound session takes a message with this body, submit_sm or deliver_sm.
bool takesMessage(Side side, Reading reading, const std::string& body) {
    Owned owner(optionsFor(side, reading));
    bindAs(owner, Command::bindTransceiver);
    const Command command = side == Side::smsc ? Command::submitSm : Command::deliverSm;
    owner.news();
    owner.receives(pduOf(command, 9, body));
    return owner.news().back() == "request " + std::string(nameOf(command)) + " 9";
}

// Whether an answer with this body acknowledges a submit_sm.
bool takesAnswer(Reading reading, Command answer, const std::string& body) {
    Owned esme(optionsFor(Side::esme, reading));
    bindAs(esme, Command::bindTransceiver);
    const std::uint32_t sequence = esme.requests(Command::submitSm, 7);
    esme.news();
    esme.receives(pduOf(answer, sequence, body));
    return esme.news().back().starts_with("response submit_sm_resp ");
}

TEST(StrictReading, RefusesOddMessagesOfBothSides) {
    const std::string bodies[] = {
        bodyWith("SYSTEM", "1", "", "\2hi"),
        bodyWith("", std::string(21, '4'), "", "\2hi"),
        bodyWith("", "1", "2001010101", "\2hi"),
        bodyWith("", "1", "", "\xFF" + std::string(255, 'x')),
        plain + "\2\4\0\1\7"s,  // user_message_reference of 1 octet
        plain + "\0"s,
        plain + "\0\0\4\x27\0\1\2"s,
    };
    for (const Side side : bothSides) {
        for (const std::string& body : bodies) {
            EXPECT_TRUE(takesMessage(side, Reading::tolerant, body)) << body;
            EXPECT_FALSE(takesMessage(side, Reading::strict, body)) << body;
        }
    }
}

TEST(StrictReading, MendsNothingOfAnSmsc) {
    const std::string bodies[] = {
        plain + "\x14\3\0\x8"s + "123",             // a TLV cut short
        bodyWith("", "1", "", "\x09id:7"),          // sm_length past the end
        bodyWith("", "1", "", ""),                  // no sm_length
        bodyWith("", "1", "", "\0id:17 sub:001"s),  // a text that it does not count
        bodyWith("", "1", "", "\5id:17 sub:001"s),
    };
    for (const std::string& body : bodies) {
        EXPECT_TRUE(takesMessage(Side::esme, Reading::tolerant, body)) << body;
        EXPECT_FALSE(takesMessage(Side::esme, Reading::strict, body)) << body;
    }
}

TEST(StrictReading, TakesNoAnswerThatItCannotRead) {
    const std::pair<Command, std::string> answers[] = {
        {Command::submitSmResp, "abcdef01"},
        {Command::submitSmResp, std::string(70, 'b') + "\0"s},
        {Command::dataSmResp, "abcdef01\0"s},
        {Command::deliverSmResp, "\0"s},
    };
    for (const auto& [command, body] : answers) {
        EXPECT_TRUE(takesAnswer(Reading::tolerant, command, body)) << nameOf(command) << body;
        EXPECT_FALSE(takesAnswer(Reading::strict, command, body)) << nameOf(command) << body;
    }
}

}  // namespace
}  // namespace smpp
