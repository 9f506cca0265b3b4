#include "SessionTesting.h"

#include <algorithm>
#include <set>

namespace smpp {
namespace {

using namespace smpp::smpptest;

// Who may send it: E the ESME, S the SMSC, B both, - nobody. The columns are the states in the
// order OPEN, OUTBOUND, BOUND_TX, BOUND_RX, BOUND_TRX, UNBOUND, CLOSED. From 3.4, table 2-1;
// OUTBOUND and UNBOUND from 5.0, 2.4.
struct Row {
    Command command;
    std::string_view senders;
};

// clang-format off
const Row rows[] = {
    {Command::bindTransmitter,      "E------"},
    {Command::bindTransmitterResp,  "S------"},
    {Command::bindReceiver,         "EE-----"},
    {Command::bindReceiverResp,     "SS-----"},
    {Command::bindTransceiver,      "EE-----"},
    {Command::bindTransceiverResp,  "SS-----"},
    {Command::outbind,              "S------"},
    {Command::unbind,               "--BBB--"},
    {Command::unbindResp,           "--BBB--"},
    {Command::submitSm,             "--E-E--"},
    {Command::submitSmResp,         "--S-S--"},
    {Command::submitMulti,          "--E-E--"},
    {Command::submitMultiResp,      "--S-S--"},
    {Command::dataSm,               "--BBB--"},
    {Command::dataSmResp,           "--BBB--"},
    {Command::deliverSm,            "---SS--"},
    {Command::deliverSmResp,        "---EE--"},
    {Command::querySm,              "--E-E--"},
    {Command::querySmResp,          "--S-S--"},
    {Command::cancelSm,             "--E-E--"},
    {Command::cancelSmResp,         "--S-S--"},
    {Command::replaceSm,            "--E-E--"},
    {Command::replaceSmResp,        "--S-S--"},
    {Command::enquireLink,          "BBBBBB-"},
    {Command::enquireLinkResp,      "BBBBBB-"},
    {Command::alertNotification,    "---SS--"},
    {Command::genericNack,          "BBBBBB-"},
};
// clang-format on

bool says(char senders, Side side) {
    return senders == 'B' || senders == (side == Side::esme ? 'E' : 'S');
}

TEST(SessionState, TheTableOfOperationsByStateHasAllOperations) {
    EXPECT_EQ(std::size(rows), allCommands().size());
    for (Command command : allCommands()) {
        const auto has = [command](const Row& row) { return row.command == command; };
        EXPECT_TRUE(std::any_of(std::begin(rows), std::end(rows), has)) << nameOf(command);
    }
}

TEST(SessionState, AllowsOperationsBySideAndStateAsInTheTable) {
    for (const Row& row : rows) {
        for (State state : allStates) {
            for (Side side : {Side::esme, Side::smsc}) {
                const char senders = row.senders.at(static_cast<std::size_t>(state));
                EXPECT_EQ(isAllowed(row.command, side, state), says(senders, side))
                    << nameOf(row.command) << " in " << nameOf(state);
            }
        }
    }
}

TEST(SessionState, AllowsNoUnknownOperation) {
    for (State state : allStates) {
        for (Side side : {Side::esme, Side::smsc}) {
            EXPECT_FALSE(isAllowed(static_cast<Command>(0x0000000A), side, state));
            EXPECT_FALSE(isAllowed(static_cast<Command>(0x8000000A), side, state));
            EXPECT_FALSE(isAllowed(static_cast<Command>(0), side, state));
        }
    }
}

TEST(SessionState, HasTheNamesOfTheSpecification) {
    EXPECT_EQ(nameOf(State::open), "OPEN");
    EXPECT_EQ(nameOf(State::outbound), "OUTBOUND");
    EXPECT_EQ(nameOf(State::boundTx), "BOUND_TX");
    EXPECT_EQ(nameOf(State::boundRx), "BOUND_RX");
    EXPECT_EQ(nameOf(State::boundTrx), "BOUND_TRX");
    EXPECT_EQ(nameOf(State::unbound), "UNBOUND");
    EXPECT_EQ(nameOf(State::closed), "CLOSED");
}

TEST(SessionState, EveryEndIsDescribedInItsOwnWords) {
    std::set<std::string_view> words;
    for (int end = 0; end <= static_cast<int>(End::protocolBroken); ++end) {
        words.insert(describe(static_cast<End>(end)));
    }
    EXPECT_EQ(words.size(), static_cast<std::size_t>(End::protocolBroken) + 1);
    EXPECT_FALSE(words.contains("unknown"));
}

}  // namespace
}  // namespace smpp
