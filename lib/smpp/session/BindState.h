// The bind state machine of one connection: its state, and the outstanding bind and unbind of each
// side. It sends nothing; the session tells it what was sent and received.
//
// Thread: one at a time.
// Source: SMPP 3.4, 2.2 (states) and 2.3 (operations by state).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <smpp/pdu/Command.h>
#include <smpp/pdu/Status.h>
#include <smpp/session/SessionState.h>

namespace smpp {

class BindState {
  public:
    struct Handshake {
        Command command{};
        std::uint32_t sequence = 0;
    };

    explicit BindState(Side side) : side_(side) {}

    Side side() const { return side_; }
    State state() const { return state_; }
    bool isOver() const { return state_ == State::unbound || state_ == State::closed; }
    // From the answer to the bind until an unbind by either side.
    bool isBound() const { return smpp::isBound(state_) && !isUnbinding(); }
    bool maySend(Command request) const {
        return !isOver() && !isUnbinding() && isAllowed(request, side_, state_);
    }
    // The status that refuses a request of the peer; ok: it may send it now.
    Status refusalOf(Command request) const {
        return mayPeerSend(request) ? Status::ok : whyRefused(request);
    }

    // A delivery that an SMSC may not send yet, or not on a bind of this kind, but would not send
    // again.
    bool isLostIfRefused(Command request) const;

    void outbindSent() { state_ = State::outbound; }
    void bound(Command bind);
    // `state`: unbound or closed.
    void end(State state);

    // Our bind or unbind is outstanding. An unbind has the sequence number 0 until it is sent.
    void begin(Command command, std::uint32_t sequence) { ours_ = {command, sequence}; }
    Handshake finish() { return std::exchange(ours_, {}); }
    std::uint32_t ourSequence() const { return ours_.sequence; }
    bool isLeaving() const { return ours_.command == Command::unbind; }

    void peerBinds(Command bind, std::uint32_t sequence) { theirs_ = {bind, sequence}; }
    bool peerWaits() const { return theirs_.command != Command{}; }
    Handshake finishPeerBind() { return std::exchange(theirs_, {}); }

    void peerUnbinds(std::uint32_t sequence) { theirUnbind_ = sequence; }
    std::optional<std::uint32_t> theirUnbind() const { return theirUnbind_; }
    bool isUnbinding() const { return isLeaving() || theirUnbind_; }

  private:
    bool mayPeerSend(Command request) const;
    Status whyRefused(Command request) const;

    Handshake ours_;                            // command 0: none
    Handshake theirs_;                          // the same
    std::optional<std::uint32_t> theirUnbind_;  // until all that came before it is answered
    Side side_;
    State state_ = State::open;
};

}  // namespace smpp
