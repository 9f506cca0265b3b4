// The messages of one connection: what is sent next, what must come back, and how long it took.
// Pure: no socket, no clock.
//
// What is wrong with the answers is counted by kind where it is known (see LoadErrors), and the
// load goes on: an answer that is missing, comes twice, late or damaged costs no other its place.
//
// Thread: one at a time. Lifetime: the payload and the tally live longer.
#pragma once

#include <nio/base/Bytes.h>
#include <nio/sys/Clock.h>

#include "echo_client/figures/Tally.h"

namespace load {

class Exchange {
  public:
    virtual ~Exchange() = default;

    // Messages sent and neither answered nor given up.
    std::size_t outstanding() const { return outstanding_; }

    // What the connection begins with, sent once; empty: nothing.
    virtual nio::ByteView greet(nio::TimePoint) { return {}; }
    // Its answer is not there yet: no message may be asked for.
    bool isGreeting() const { return isGreeting_; }

    // The next message, due at `planned`; the view is valid until the payload's next one.
    virtual nio::ByteView ask(nio::TimePoint planned, nio::TimePoint sent) = 0;

    // Checks what has come back, in any pieces; each message that is complete goes to the tally.
    // False: what follows cannot be told from rubbish, the connection is of no further use (and
    // that has been counted).
    virtual bool answer(nio::ByteView bytes, nio::TimePoint now) = 0;
    // The same for a packet, which must be one whole message.
    virtual bool answerPacket(nio::ByteView packet, nio::TimePoint now) = 0;

    // The kernel has taken all that was sent.
    virtual void taken(nio::TimePoint) {}

    // Gives up what was sent before `limit` and is not answered. It may still come: then it counts
    // as timed out, and its latency is recorded.
    virtual void expire(nio::TimePoint limit) = 0;
    // The connection is over. Messages that later ones have overtaken are lost; the others have
    // timed out, but if the connection itself was the reason (`broken`) only those that were given
    // up before.
    virtual void end(bool broken) = 0;

  protected:
    std::size_t outstanding_ = 0;
    bool isGreeting_ = false;
};

}  // namespace load
