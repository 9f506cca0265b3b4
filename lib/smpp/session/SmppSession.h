// One SMPP connection as a state machine: framed PDUs and the time go in, octets to send and events
// come out. It has no socket, no thread and no clock.
//
//     OPEN -> BOUND_TX | BOUND_RX | BOUND_TRX -> UNBOUND -> CLOSED     (and OUTBOUND before a bind)
//
// Both sides of the protocol: as `smsc` it is bound to, as `esme` it binds. What the peer may not
// send in a state is answered here with ESME_RINVBNDSTS, what is malformed by the table in
// docs/smpp.md; enquire_link, unbind and generic_nack are dealt with here. SessionEvents tells the
// owner of binds, of valid requests, and of each of its own requests exactly once: answered or
// lost.
//
// Our requests are numbered from SessionOptions::firstSequence and wait for their answers in a
// window, which limits them: ask mayRequest() first. Numbers wrap after 0x7FFFFFFF; outstanding
// ones are skipped.
//
// Nothing is allocated per PDU once the room for the window is there, and nothing at all before the
// first request of ours or the first bind.
//
// Thread: one at a time.
// Lifetime: the events object must outlive the session. Events may call the session, also end it;
// they must not destroy it. The destructor reports no lost requests: call disconnected() before.
// Time: nanoseconds since any fixed point that the owner chooses; it must not go back.
// Source: SMPP 3.4, 2.2 (states), 2.3 (operations by state), 2.7 (the window), 2.8 (errors), 2.9
// and 7.2 (timers).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduFramer.h>
#include <smpp/session/BindState.h>
#include <smpp/session/KeepAlive.h>
#include <smpp/session/RequestWindow.h>
#include <smpp/session/SessionClock.h>
#include <smpp/session/SessionEvents.h>

namespace smpp {

struct SessionOptions {
    Side side = Side::smsc;
    std::size_t window = 10;  // requests of ours that wait for an answer (enquire_link, unbind not
                              // counted)
    SessionTimers timers{};
    std::string systemId{};                // what we call ourselves in bind answers
    std::uint8_t interfaceVersion = 0x34;  // ours
    std::uint32_t firstSequence = 1;       // 1 to 0x7FFFFFFF
    Reading reading = Reading::strict;     // of what the peer sends
};

class SmppSession {
  public:
    // `now`: when the connection was opened.
    SmppSession(std::shared_ptr<const SessionOptions> options, SessionEvents& events, Time now);
    SmppSession(const SmppSession&) = delete;
    SmppSession& operator=(const SmppSession&) = delete;

    State state() const { return state_.state(); }
    Side side() const { return state_.side(); }
    // From the answer to the bind until an unbind by either side.
    bool isBound() const { return state_.isBound(); }
    // Of the peer, once it is bound: at most ours; 0x33 or less: a 3.3 peer, which gets no TLVs.
    std::uint8_t peerVersion() const { return peerVersion_; }
    bool peerKnowsTlvs() const { return peerVersion_ >= 0x34; }
    // Answers of the peer to no outstanding request: late, duplicate or invented.
    std::uint32_t strayAnswers() const { return window_.strays(); }
    // Whether the peer may be sent submit_sm and the like, or deliver_sm and the like, now.
    bool maySend(Command request) const { return state_.maySend(request); }

    // --- in ---------------------------------------------------------------------------------

    // What the framer found: a whole PDU, or the header of one with a bad length.
    void received(const Framed& framed, Time now);
    // Runs the PDU read timer while `octets` of an incomplete PDU are buffered (0: none). An owner
    // that pauses reading passes 0. The timer is stopped while a bind waits for its answer.
    void waitsForRest(std::size_t octets, Time now);
    // Call when we stop, or resume, reading from the peer (our window is full, say). Meanwhile
    // neither our requests nor enquire_link time out; their timers restart afterwards.
    void holdPeer(bool held, Time now);
    // The connection is gone: outstanding requests are lost. No other event follows.
    void disconnected();
    // When tick() is due next; Time::max(): never. It can only become earlier by a call of
    // request(), received(), waitsForRest(), holdPeer() or one of the verbs below.
    Time nextTick() const;
    void tick(Time now);

    // --- binds ------------------------------------------------------------------------------

    // smsc side: answers the bind of bindRequested(), at once or later. One request that comes
    // meanwhile is kept and reported when the bind is accepted (before acceptBind() returns).
    // Further ones are answered with ESME_RINVBNDSTS. An owner that answers later pauses reading:
    // at once, or when holdsRequest() is true, which still notices the end of a connection on which
    // nothing more came.
    void acceptBind(Time now);
    void refuseBind(Status status, Time now);
    bool holdsRequest() const { return kept_ != nullptr; }
    // smsc side: asks the peer to bind.
    void outbind(std::string_view systemId, std::string_view password, Time now);
    // esme side. The address range and its TON and NPI as the SMSC wants them.
    struct BindRequest {
        Command kind = Command::bindTransceiver;
        std::string systemId;
        std::string password;
        std::string systemType;
        std::uint8_t addressTon = 0;
        std::uint8_t addressNpi = 0;
        std::string addressRange;
    };
    void bind(const BindRequest& request, Time now);
    // Begins a graceful end. From now on neither side begins anything: requests of the peer are
    // refused with ESME_RX_T_APPN (to an SMSC) or ESME_RSYSERR. The unbind is sent when all
    // outstanding requests of both sides are answered or lost, or when the response timer has
    // expired (at once if that is off). ended() follows its answer or another response timer; if
    // the session is not bound, at once.
    void unbind(Time now);

    // --- requests of ours -------------------------------------------------------------------

    std::size_t outstanding() const { return window_.size(); }
    bool mayRequest() const { return isBound() && !window_.isFull(); }
    // Sends `pdu`, a whole request whose sequence number is filled in here. The cookie comes back
    // with the answer, or with requestLost(), which a transmit() that fails may call before this
    // returns. Returns the sequence number.
    // 0: nothing was sent and nothing will be reported: the window is full, the state does not
    // allow the request (see maySend), or it is bind, unbind or enquire_link, which only the
    // session sends.
    // alert_notification and outbind are sent and have no answer.
    std::uint32_t request(std::span<nio::Byte> pdu, Cookie cookie, Time now);

    // --- requests of the peer ---------------------------------------------------------------

    // Requests reported by requestArrived() and not yet answered.
    std::size_t unanswered() const { return unanswered_; }
    // Answers one: a whole response with the request's sequence number. Dropped when the connection
    // is over. The last answer that an unbind waits for is followed by the answer to the unbind,
    // and by ended().
    void respond(nio::ByteView response);
    // The same, with no body of its own.
    void respond(Command request, Status status, std::uint32_t sequence);

  private:
    using Timer = SessionClock::Timer;

    void lengthWasBad(nio::ByteView header);
    void read(const Scanned& scanned, nio::ByteView bytes, Time now);
    void requestReceived(const Scanned& scanned, nio::ByteView bytes, Time now);
    void deliverKept(Time now);
    void malformedReceived(const Scanned& scanned, nio::ByteView bytes);
    void accepted(const Pdu& request);
    void bindArrived(const Pdu& bind);
    void unbindArrived(const Pdu& unbind);

    void answerReceived(const Scanned& scanned, Time now);
    void bindAnswered(const Scanned& scanned, Command bind, Time now);
    std::uint32_t nextSequence();
    void transmit(Command request, Status status, std::uint32_t sequence);

    void expired(Timer timer, Time now);
    void enquire(Time now);
    void unbindIsLate(Time now);
    void sendUnbind();
    void endWhenDone();
    void end(End how);
    void giveUp(State state);

    std::shared_ptr<const SessionOptions> options_;
    SessionEvents& events_;
    SessionClock clock_;
    KeepAlive keepAlive_;
    RequestWindow window_;
    BindState state_;
    std::unique_ptr<const nio::Bytes> kept_;  // a request that came while a bind waited
    std::size_t unanswered_ = 0;
    End unbindEnd_ = End::unbound;
    std::uint8_t peerVersion_ = 0;
    bool restWaits_ = false;
    bool isOddBind_ = false;  // the bind that waits, see Reading
    bool unbindWaited_ = false;
    bool gone_ = false;
};

}  // namespace smpp
