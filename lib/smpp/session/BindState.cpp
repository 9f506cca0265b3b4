#include <smpp/session/BindState.h>

namespace smpp {

namespace {

constexpr Side other(Side side) {
    return side == Side::smsc ? Side::esme : Side::smsc;
}

}  // namespace

Status BindState::whyRefused(Command request) const {
    const bool again = isBind(request) && side_ == Side::smsc && smpp::isBound(state_);
    if (again) return Status::alyBnd;
    const bool later = isLeaving() && !theirUnbind_ && isAllowed(request, other(side_), state_);
    if (!later) return Status::invBndSts;
    return side_ == Side::smsc ? Status::sysErr : Status::xTAppn;
}

bool BindState::mayPeerSend(Command request) const {
    if (theirUnbind_) return request == Command::enquireLink;
    const bool begins = isBind(request) || request == Command::outbind;
    const bool ends = request == Command::enquireLink || request == Command::unbind;
    if (isLeaving() && !begins && !ends && hasResponse(request)) return false;
    const bool begun = peerWaits() || ours_.sequence != 0;
    return !(begins && begun) && isAllowed(request, other(side_), state_);
}

bool BindState::isLostIfRefused(Command request) const {
    if (side_ != Side::esme || isUnbinding()) return false;
    if (request != Command::deliverSm && request != Command::dataSm) return false;
    return isBind(ours_.command) || smpp::isBound(state_);
}

void BindState::bound(Command bind) {
    switch (bind) {
        case Command::bindReceiver: state_ = State::boundRx; return;
        case Command::bindTransmitter: state_ = State::boundTx; return;
        default: state_ = State::boundTrx;
    }
}

void BindState::end(State state) {
    state_ = state;
    theirs_ = {};
}

}  // namespace smpp
