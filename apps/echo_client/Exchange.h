// The messages of one connection: what is sent next, what must come back, and how long it took.
// Pure: no socket.
//
// Thread: one at a time. Lifetime: the pattern's views are at least messageBytes long, and it lives
// longer.
#pragma once

#include <memory>
#include <string>

#include <nio/sys/Clock.h>

#include "echo_client/LatencyHistogram.h"
#include "echo_client/Pattern.h"

namespace load {

class Exchange {
  public:
    // At most `depth` messages are under way at once.
    Exchange(const Pattern& pattern, std::size_t connection, std::size_t messageBytes,
             std::size_t depth);

    std::size_t outstanding() const { return outstanding_; }
    bool mayAsk() const { return outstanding_ < depth_; }
    // The next message, valid as long as the pattern; mayAsk() demanded.
    nio::ByteView ask(nio::TimePoint now);

    // Checks what has come back, in any pieces; records the latency of each message that is
    // complete. False: a byte is wrong, or nobody asked for it; mistake() says which. The
    // connection is then of no further use.
    bool answer(nio::ByteView bytes, nio::TimePoint now, LatencyHistogram& latency);
    // The same for a packet, which must be one whole message.
    bool answerPacket(nio::ByteView packet, nio::TimePoint now, LatencyHistogram& latency);
    const std::string& mistake() const { return mistake_; }

  private:
    void messageAnswered(nio::TimePoint now, LatencyHistogram& latency);
    bool wrongByte(nio::ByteView expected, nio::ByteView got);
    bool wrong(const std::string& what);

    const Pattern& pattern_;
    const std::size_t connection_;
    const std::size_t messageBytes_;
    const std::size_t depth_;
    const std::unique_ptr<nio::TimePoint[]> askedAt_;  // a ring
    std::size_t newest_ = 0;                           // in the ring: the next to be asked
    std::size_t oldest_ = 0;
    std::size_t outstanding_ = 0;
    std::size_t askPosition_;
    std::size_t answerPosition_;
    std::size_t answeredBytes_ = 0;  // of the oldest message
    std::uint64_t answeredMessages_ = 0;
    std::string mistake_;
};

}  // namespace load
