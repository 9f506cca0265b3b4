#include "SessionTesting.h"

#include <smpp/session/BindState.h>

namespace smpp {
namespace {

using namespace smpp::smpptest;

BindState boundAs(Side side, Command bind) {
    BindState state(side);
    state.bound(bind);
    return state;
}

TEST(BindState, EachBindLeadsToItsState) {
    EXPECT_EQ(BindState(Side::smsc).state(), State::open);
    EXPECT_EQ(boundAs(Side::smsc, Command::bindReceiver).state(), State::boundRx);
    EXPECT_EQ(boundAs(Side::smsc, Command::bindTransmitter).state(), State::boundTx);
    EXPECT_EQ(boundAs(Side::smsc, Command::bindTransceiver).state(), State::boundTrx);
}

TEST(BindState, ASecondBindIsRefusedWhileOneWaits) {
    BindState smsc(Side::smsc);
    EXPECT_EQ(smsc.refusalOf(Command::bindTransceiver), Status::ok);
    smsc.peerBinds(Command::bindTransceiver, 7);
    EXPECT_EQ(smsc.refusalOf(Command::bindTransceiver), Status::invBndSts);
    EXPECT_EQ(smsc.finishPeerBind().sequence, 7u);
    EXPECT_FALSE(smsc.peerWaits());
    smsc.bound(Command::bindTransceiver);
    EXPECT_EQ(smsc.refusalOf(Command::bindTransceiver), Status::alyBnd);
}

TEST(BindState, AnUnbindOfOursRefusesNewRequests) {
    BindState smsc = boundAs(Side::smsc, Command::bindTransceiver);
    BindState esme = boundAs(Side::esme, Command::bindTransceiver);
    EXPECT_TRUE(smsc.maySend(Command::deliverSm));
    smsc.begin(Command::unbind, 0);
    esme.begin(Command::unbind, 0);
    EXPECT_FALSE(smsc.maySend(Command::deliverSm));
    EXPECT_FALSE(smsc.isBound());
    EXPECT_EQ(smsc.refusalOf(Command::submitSm), Status::sysErr);
    EXPECT_EQ(esme.refusalOf(Command::deliverSm), Status::xTAppn);
    EXPECT_EQ(smsc.refusalOf(Command::enquireLink), Status::ok);
    EXPECT_EQ(smsc.refusalOf(Command::unbind), Status::ok);
}

TEST(BindState, ThePeerMayOnlyEnquireAfterItsUnbind) {
    BindState smsc = boundAs(Side::smsc, Command::bindTransceiver);
    smsc.peerUnbinds(9);
    EXPECT_EQ(smsc.theirUnbind(), 9u);
    EXPECT_TRUE(smsc.isUnbinding());
    EXPECT_FALSE(smsc.isLeaving());
    EXPECT_EQ(smsc.refusalOf(Command::submitSm), Status::invBndSts);
    EXPECT_EQ(smsc.refusalOf(Command::enquireLink), Status::ok);
}

TEST(BindState, NothingMayBeSentOnceItIsOver) {
    BindState smsc = boundAs(Side::smsc, Command::bindTransceiver);
    smsc.end(State::closed);
    EXPECT_TRUE(smsc.isOver());
    EXPECT_FALSE(smsc.isBound());
    EXPECT_FALSE(smsc.maySend(Command::enquireLink));
}

}  // namespace
}  // namespace smpp
