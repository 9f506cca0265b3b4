#include "simulation/router/ReceiverPeer.h"

#include <smpp/pdu/PduWriter.h>

#include "simulation/router/BindPdu.h"

namespace simulation {

using smpp::Command;
using smpp::Status;

ReceiverPeer::ReceiverPeer(const EsmePeer& esme, Ledger& ledger)
    : esme_(esme),
      account_(esme.index()),
      ledger_(ledger),
      random_(ledger.scenario.seed * 15'485'863 + account_),
      inbox_(account_, ledger, random_, [this](const std::string& what) { fail(what); }) {
    if (random_.chance(600)) goesAfter_ = random_.below(ledger.scenario.messages + 1);
}

void ReceiverPeer::step(bool eager) {
    if (isDone()) return;
    if (!wire_) return connect();
    inbox_.acknowledgeDue(*wire_);
    wire_->pump(random_, eager);
    while (!isDone()) {
        const auto octets = wire_->next();
        if (!octets) break;
        arrived(*octets);
    }
    if (!isDone()) goOn();
    if (!isDone() && wire_->isOver()) lost();
}

void ReceiverPeer::connect() {
    if (!ledger_.ready && !ledger_.stops) return;
    auto dialled = ledger_.machine().dial(nio::SocketAddress::loopback4(ledger_.esmePort()));
    if (dialled.refused) {
        if (!ledger_.stops) fail("was refused");
        state_ = State::done;
        return ledger_.machine().countProgress();
    }
    if (dialled.connection == nullptr) return;
    wire_.emplace(ledger_.machine(), std::move(dialled.connection), Side::client);
    wire_->send(bindPdu(Command::bindReceiver, account_, ledger_.scenario.versions[account_]));
    since_ = ledger_.settled;
    state_ = State::binding;
}

void ReceiverPeer::arrived(const nio::Bytes& octets) {
    const std::optional<smpp::Pdu> read = wellFormed(octets);
    if (!read) return fail("got a malformed PDU");
    const smpp::Pdu& pdu = *read;
    switch (pdu.command()) {
        case Command::bindReceiverResp: return bindAnswered(pdu.status());
        case Command::deliverSm: return deliveryArrived(pdu);
        case Command::alertNotification: return inbox_.alertArrived(pdu);
        case Command::enquireLink:
            return wire_->send(smpp::answer(Command::enquireLink, Status::ok, pdu.sequence()));
        case Command::unbind: return toldToUnbind(pdu);
        case Command::unbindResp: return leave(false);
        default: fail("got " + std::string(smpp::nameOf(pdu.command())));
    }
}

// Who goes leaves one unread, and what is behind it.
void ReceiverPeer::deliveryArrived(const smpp::Pdu& request) {
    const bool goes = state_ == State::bound && !mayGo_ && inbox_.deliveries() >= goesAfter_;
    goes ? goEarly() : inbox_.deliveryArrived(request, *wire_);
}

void ReceiverPeer::bindAnswered(Status status) {
    if (state_ != State::binding) return fail("was bound twice");
    if (status == Status::ok) {
        state_ = State::bound;
        return;
    }
    mayGo_ = true;
    if (!mayBeSentAway()) fail("was not bound: " + std::string(smpp::nameOf(status)));
}

void ReceiverPeer::toldToUnbind(const smpp::Pdu& request) {
    mayGo_ = true;
    if (!mayBeSentAway()) fail("was told to unbind");
    wire_->send(smpp::answer(Command::unbind, Status::ok, request.sequence()));
}

bool ReceiverPeer::mayBeSentAway() const {
    return ledger_.stops || ledger_.mayLackAccount(account_, since_) ||
           ledger_.scheduler.clockHasJumped();
}

void ReceiverPeer::goOn() {
    if (state_ != State::bound || mayGo_) return;
    if (esme_.isDone() && inbox_.hasWaited()) unbind();
}

void ReceiverPeer::goEarly() {
    leftOneUnread_ = true;
    ledger_.mayRepeat[account_] = true;
    random_.chance(300) ? unbind() : leave(random_.chance(500));
}

void ReceiverPeer::unbind() {
    wire_->send(smpp::PduWriter(Command::unbind, Status::ok, 2).finish());
    state_ = State::unbinding;
    ledger_.machine().countProgress();
}

void ReceiverPeer::lost() {
    ledger_.mayRepeat[account_] = true;
    const bool excused = mayGo_ || ledger_.stops || !wire_->connection().excuse().empty();
    if (!excused) fail("was cut off");
    leave(false);
}

void ReceiverPeer::leave(bool reset) {
    wire_->close(reset);
    inbox_.clear();
    state_ = State::done;
}

std::string ReceiverPeer::toString() const {
    return "receiver of esme" + std::to_string(account_) + " (state " +
           std::to_string(static_cast<int>(state_)) + ", " + std::to_string(inbox_.deliveries()) +
           " deliveries)";
}

}  // namespace simulation
