// What a session tells its owner.
//
// Thread: that of the session. All views are valid during the call.
#pragma once

#include <cstdint>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>
#include <smpp/session/SessionState.h>

namespace smpp {

// The owner's own mark of a request.
using Cookie = std::uint64_t;

enum class Lost : std::uint8_t {
    timedOut,      // the response timer; see answeredLate()
    disconnected,  // it may or may not have been taken
    nacked,        // answered with generic_nack (see the status), or with what cannot be its answer
};

class SessionEvents {
  public:
    virtual ~SessionEvents() = default;

    // To be sent, in this order.
    virtual void transmit(nio::ByteView octets) = 0;

    // smsc side: a valid bind_* in the right state. Answer with acceptBind() or refuseBind(), now
    // or later; meanwhile nothing else of this connection is looked at.
    virtual void bindRequested(const Pdu& bind) { (void)bind; }
    // esme side: our bind was answered. ok: the session is bound.
    virtual void bindAnswered(Status status, const Pdu* answer) { (void)status, (void)answer; }
    // esme side: the SMSC sent outbind; bind() if it is the right one.
    virtual void outbindArrived(const Pdu& outbind) { (void)outbind; }

    // A valid request that the state allows; answer it with respond(), now or later
    // (alert_notification has no answer).
    virtual void requestArrived(const Pdu& request) = 0;
    // The answer to a request of ours. `answer` may be without a body.
    virtual void responseArrived(const Pdu& answer, Cookie cookie) = 0;
    virtual void requestLost(Cookie cookie, Lost how, Status status) = 0;
    // The answer to one that was lost as timedOut: of the last of them, as many as the window has
    // places, 1024 at most. It is told of once.
    virtual void answeredLate(const Pdu& answer, Cookie cookie) { (void)answer, (void)cookie; }

    // The peer has asked to unbind: nothing more may be sent to it. It is answered, and the session
    // ends, once all its requests are, and all of ours are answered or lost.
    virtual void unbindArrived() {}

    // A request or an answer that could not be understood, or lacked its end in a tolerant reading,
    // before it is dealt with by the tables in docs/smpp.md. For logs and statistics. `problem` is
    // what is wrong, `octets` the PDU, or its header where its command_length is wrong.
    virtual void malformedArrived(Status problem, nio::ByteView octets) {
        (void)problem, (void)octets;
    }

    // Close the connection, once what was transmitted has left. Nothing is told any more, except
    // the requests that are lost with it (before this call).
    virtual void ended(End end) = 0;
};

}  // namespace smpp
