// An exchange of messages that no answer is awaited for: a message is done when the kernel has
// taken it. What the server sends is read and ignored.
//
// The messages are those of the dialogue, or else bytes of the Pattern. What the kernel has not
// taken by the end has timed out.
//
// Thread: one at a time. Lifetime: dialogue, pattern, sizes and tally live longer.
#pragma once

#include <deque>

#include "echo_client/payload/Dialogue.h"
#include "echo_client/payload/Exchange.h"
#include "echo_client/payload/Pattern.h"
#include "echo_client/plan/SizeDistribution.h"

namespace load {

class OneWayExchange final : public Exchange {
  public:
    // `dialogue` may be null. `start`: where in the pattern it begins.
    OneWayExchange(const Dialogue* dialogue, const Pattern& pattern, const SizeDistribution& sizes,
                   Random random, std::size_t connection, std::size_t start, Tally& tally);

    nio::ByteView greet(nio::TimePoint now) override;
    nio::ByteView ask(nio::TimePoint planned, nio::TimePoint sent) override;
    bool answer(nio::ByteView, nio::TimePoint) override { return true; }
    bool answerPacket(nio::ByteView, nio::TimePoint) override { return true; }
    void taken(nio::TimePoint now) override;
    void expire(nio::TimePoint) override {}
    void end(bool broken) override;

  private:
    struct Sent {
        nio::TimePoint planned{};
        nio::TimePoint sent{};
        std::size_t bytes = 0;
    };

    nio::ByteView fill(const Template& message);
    nio::ByteView next();

    const Dialogue* const dialogue_;
    const Pattern& pattern_;
    const SizeDistribution& sizes_;
    Random random_;
    const std::size_t connection_;
    std::size_t position_;
    Tally& tally_;
    nio::Bytes message_;
    std::deque<Sent> sent_;  // and not taken
    std::uint64_t sequence_ = 0;
};

}  // namespace load
