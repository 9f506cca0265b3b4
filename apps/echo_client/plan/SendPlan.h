// When one connection of an open loop sends: its share of the whole load's rate, evenly or by
// chance, whether or not answers come.
//
// Constant arrivals: the connections take turns, so that the whole load is as even as one
// connection's plan. Poisson: each gap is drawn for itself, as independent users would make it.
//
// Thread: one at a time. Lifetime: the curve lives longer.
#pragma once

#include <nio/sys/Clock.h>

#include "echo_client/plan/Random.h"
#include "echo_client/plan/RateCurve.h"

namespace load {

enum class Arrivals { constant, poisson };

class SendPlan {
  public:
    // `connection` of `connections` that share the curve; the curve's zero is at `begin`.
    SendPlan(const RateCurve& curve, Arrivals arrivals, std::size_t connection,
             std::size_t connections, nio::TimePoint begin, Random random);

    // When the next message is due; TimePoint::max() once the stages are over.
    nio::TimePoint next() const { return next_; }
    void advance();
    // How many of the messages from next() on are planned for [from, to); by the mean rate, where
    // chance decides.
    std::uint64_t plannedWithin(nio::TimePoint from, nio::TimePoint to) const;

  private:
    double gap();
    nio::TimePoint timeOf(double messages) const;
    double plannedBefore(nio::TimePoint when) const;

    const RateCurve* curve_;
    Arrivals arrivals_;
    double connections_;
    nio::TimePoint begin_;
    Random random_;
    double due_;  // of all connections' messages, the one that is ours next
    nio::TimePoint next_;
};

}  // namespace load
