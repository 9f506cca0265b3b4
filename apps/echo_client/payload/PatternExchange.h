// An exchange of messages that have no room for a stamp: together they are the Pattern, byte for
// byte, and so must the answers be. A wrong byte, one too many or a packet of the wrong length
// counts as corrupted and ends the exchange.
//
// Thread: one at a time. Lifetime: pattern, sizes and tally live longer.
#pragma once

#include "echo_client/payload/Exchange.h"
#include "echo_client/payload/InFlight.h"
#include "echo_client/payload/Pattern.h"
#include "echo_client/plan/SizeDistribution.h"

namespace load {

class PatternExchange final : public Exchange {
  public:
    // `start`: where in the pattern it begins.
    PatternExchange(const Pattern& pattern, const SizeDistribution& sizes, Random random,
                    std::size_t connection, std::size_t start, Tally& tally);

    nio::ByteView ask(nio::TimePoint planned, nio::TimePoint sent) override;
    bool answer(nio::ByteView bytes, nio::TimePoint now) override;
    bool answerPacket(nio::ByteView packet, nio::TimePoint now) override;
    void expire(nio::TimePoint limit) override;
    void end(bool broken) override;

  private:
    void messageAnswered(nio::TimePoint now);
    void dropFront();
    nio::ByteView expected() const;
    bool wrong(const std::string& what, nio::ByteView got);

    const Pattern& pattern_;
    const SizeDistribution& sizes_;
    Tally& tally_;
    const std::size_t connection_;
    Random random_;
    InFlight inFlight_;
    std::size_t askPosition_;
    std::size_t answerPosition_;     // where the first message in flight begins
    std::size_t answeredBytes_ = 0;  // of the first message in flight
    bool useless_ = false;
};

}  // namespace load
