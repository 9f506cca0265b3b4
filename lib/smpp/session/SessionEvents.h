// The callbacks of a session to its owner.
//
// Thread: that of the session. All views are valid during the call.
#pragma once

#include <cstdint>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Pdu.h>
#include <smpp/session/SessionState.h>

namespace smpp {

// The owner's own identifier of a request.
using Cookie = std::uint64_t;

enum class Lost : std::uint8_t {
    timedOut,      // the response timer; see answeredLate()
    disconnected,  // the peer may or may not have processed it
    nacked,        // answered with generic_nack (see the status), or with an invalid answer
};

class SessionEvents {
  public:
    virtual ~SessionEvents() = default;

    // Send these octets, in the order of the calls.
    virtual void transmit(nio::ByteView octets) = 0;

    // smsc side: a valid bind_* in the right state. Answer with acceptBind() or refuseBind(), now
    // or later; until then one request is kept and others are refused (see acceptBind()).
    virtual void bindRequested(const Pdu& bind) { (void)bind; }
    // esme side: our bind was answered. ok: the session is bound.
    virtual void bindAnswered(Status status, const Pdu* answer) { (void)status, (void)answer; }
    // esme side: the SMSC sent outbind; bind() if it is the right one.
    virtual void outbindArrived(const Pdu& outbind) { (void)outbind; }

    // A valid request that the state allows; answer it with respond(), now or later
    // (alert_notification has no answer). In a tolerant reading a delivery may come on any bind of
    // ours, and before bindAnswered().
    virtual void requestArrived(const Pdu& request) = 0;
    // The answer to a request of ours, with the command of its response. `answer` may be without a
    // body.
    virtual void responseArrived(const Pdu& answer, Cookie cookie) = 0;
    virtual void requestLost(Cookie cookie, Lost how, Status status) = 0;
    // A late answer to a request lost as timedOut, reported once. Only the last such requests are
    // remembered: as many as the window has places, 1024 at most.
    virtual void answeredLate(const Pdu& answer, Cookie cookie) { (void)answer, (void)cookie; }

    // The peer has sent unbind: send nothing more to it, except answers. The session answers it and
    // ends once all requests of the peer are answered, and all of ours are answered or lost.
    virtual void unbindArrived() {}

    // A request or an answer that could not be understood, or lacked its end in a tolerant reading,
    // before it is dealt with by the tables in docs/smpp.md. For logs and statistics. `problem` is
    // what is wrong, `octets` the PDU, or its header where its command_length is wrong.
    virtual void malformedArrived(Status problem, nio::ByteView octets) {
        (void)problem, (void)octets;
    }

    // Close the connection once what was transmitted has been sent. This is the last event;
    // requests lost with the session are reported before it.
    virtual void ended(End end) = 0;
};

}  // namespace smpp
