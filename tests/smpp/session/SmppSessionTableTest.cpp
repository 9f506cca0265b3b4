// What a session does with each PDU in each state: every pair, for both sides.
#include "SessionTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

// The columns are the states in the order OPEN, OUTBOUND, BOUND_TX, BOUND_RX, BOUND_TRX, UNBOUND,
// CLOSED, of a session with nothing that waits for an answer.
//
//   R  told to the owner, who answers        A  alert_notification, told to the owner
//   B  told as a bind                        O  told as an outbind; the state is OUTBOUND
//   e  answered with ESME_ROK                u  answered with ESME_ROK, and the session ends
//   s  answered with ESME_RINVBNDSTS         a  answered with ESME_RALYBND
//   n  generic_nack with ESME_RINVBNDSTS     x  a stray answer: dropped
//   .  the connection is over: dropped
//
// From 3.4, table 2-1 (what the other side may send), 5.1.3 (the statuses), 4.3 (generic_nack where
// an operation has no response), 4.2 and 4.11 (unbind and enquire_link).
struct TableRow {
    Command command;
    std::string_view asSmsc;  // received from an ESME
    std::string_view asEsme;  // received from an SMSC
};

// clang-format off
const TableRow table[] = {
    {Command::bindTransmitter,      "Bsaaa..", "sssss.."},
    {Command::bindReceiver,         "BBaaa..", "sssss.."},
    {Command::bindTransceiver,      "BBaaa..", "sssss.."},
    {Command::outbind,              "nnnnn..", "Onnnn.."},
    {Command::unbind,               "ssuuu..", "ssuuu.."},
    {Command::submitSm,             "ssRsR..", "sssss.."},
    {Command::submitMulti,          "ssRsR..", "sssss.."},
    {Command::dataSm,               "ssRRR..", "ssRRR.."},
    {Command::deliverSm,            "sssss..", "sssRR.."},
    {Command::querySm,              "ssRsR..", "sssss.."},
    {Command::cancelSm,             "ssRsR..", "sssss.."},
    {Command::replaceSm,            "ssRsR..", "sssss.."},
    {Command::enquireLink,          "eeeee..", "eeeee.."},
    {Command::alertNotification,    "nnnnn..", "nnnAA.."},
    {Command::bindTransmitterResp,  "xxxxx..", "xxxxx.."},
    {Command::bindReceiverResp,     "xxxxx..", "xxxxx.."},
    {Command::bindTransceiverResp,  "xxxxx..", "xxxxx.."},
    {Command::unbindResp,           "xxxxx..", "xxxxx.."},
    {Command::submitSmResp,         "xxxxx..", "xxxxx.."},
    {Command::submitMultiResp,      "xxxxx..", "xxxxx.."},
    {Command::dataSmResp,           "xxxxx..", "xxxxx.."},
    {Command::deliverSmResp,        "xxxxx..", "xxxxx.."},
    {Command::querySmResp,          "xxxxx..", "xxxxx.."},
    {Command::cancelSmResp,         "xxxxx..", "xxxxx.."},
    {Command::replaceSmResp,        "xxxxx..", "xxxxx.."},
    {Command::enquireLinkResp,      "xxxxx..", "xxxxx.."},
    {Command::genericNack,          "xxxxx..", "xxxxx.."},
};
// clang-format on

constexpr std::uint32_t sequence = 77;

void bringTo(State state, Owned& owned) {
    const bool smsc = owned.session.side() == Side::smsc;
    switch (state) {
        case State::open: break;
        case State::outbound:
            if (smsc) owned.session.outbind("smsc", "secret", owned.now);
            if (!smsc) owned.receives(Command::outbind, 1);
            break;
        case State::boundTx: bindAs(owned, Command::bindTransmitter); break;
        case State::boundRx: bindAs(owned, Command::bindReceiver); break;
        case State::boundTrx: bindAs(owned, Command::bindTransceiver); break;
        case State::unbound:
            bindAs(owned, Command::bindTransceiver);
            owned.receives(Command::unbind, 2);
            break;
        case State::closed: owned.session.disconnected(); break;
    }
    owned.news();
    ASSERT_EQ(owned.session.state(), state);
}

std::string answerWith(Command command, std::string_view status) {
    return "> " + std::string(nameOf(responseTo(command))) + " 77 " + std::string(status);
}

Lines expected(char outcome, Command command) {
    const std::string name(nameOf(command));
    switch (outcome) {
        case 'R':
        case 'A': return {"request " + name + " 77"};
        case 'B': return {"bindRequested " + name + " 77"};
        case 'O': return {"outbindArrived smsc"};
        case 'e': return {answerWith(command, "ESME_ROK")};
        case 'u': return {answerWith(command, "ESME_ROK"), "ended: the session was unbound"};
        case 's': return {answerWith(command, "ESME_RINVBNDSTS")};
        case 'a': return {answerWith(command, "ESME_RALYBND")};
        case 'n': return {"> generic_nack 77 ESME_RINVBNDSTS"};
        default: return {};
    }
}

State stateAfter(char outcome, State before) {
    if (outcome == 'O') return State::outbound;
    return outcome == 'u' ? State::unbound : before;
}

void expectOutcome(Side side, State state, Command command, char outcome) {
    SCOPED_TRACE(std::string(nameOf(command)) + " in " + std::string(nameOf(state)) +
                 (side == Side::smsc ? " at the SMSC" : " at the ESME"));
    Owned owned(untimed(side));
    bringTo(state, owned);
    owned.receives(command, sequence);
    EXPECT_EQ(owned.news(), expected(outcome, command));
    EXPECT_EQ(owned.session.state(), stateAfter(outcome, state));
    EXPECT_EQ(owned.session.strayAnswers(), outcome == 'x' ? 1u : 0u);
    EXPECT_EQ(owned.session.unanswered(), outcome == 'R' ? 1u : 0u);
}

TEST(SmppSessionTable, HasAllOperations) {
    std::size_t found = 0;
    for (Command command : allCommands()) {
        for (const TableRow& row : table) found += row.command == command ? 1u : 0u;
    }
    EXPECT_EQ(found, allCommands().size());
    EXPECT_EQ(std::size(table), allCommands().size());
}

TEST(SmppSessionTable, EveryPduInEveryStateHasItsOutcomeAtTheSmsc) {
    for (const TableRow& row : table) {
        for (State state : allStates) {
            expectOutcome(Side::smsc, state, row.command,
                          row.asSmsc.at(static_cast<std::size_t>(state)));
        }
    }
}

TEST(SmppSessionTable, EveryPduInEveryStateHasItsOutcomeAtTheEsme) {
    for (const TableRow& row : table) {
        for (State state : allStates) {
            expectOutcome(Side::esme, state, row.command,
                          row.asEsme.at(static_cast<std::size_t>(state)));
        }
    }
}

}  // namespace
}  // namespace smpp
