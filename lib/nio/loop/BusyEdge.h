// How long a dispatcher that has nothing to do looks again and again before it sleeps: the policy,
// without a clock. The edge is the idle time between two pieces of work.
//
// Looking pays when work comes within the time that may be spent on it (`most`). Each edge that was
// longer halves the next one's time, down to nothing; each that was not doubles it. A dispatcher
// that has given up tries again at every 16th edge, for the whole time: what made it give up may
// have been the delay of a sleep.
//
// Whose CPU others want must not look at all: they would be in its way, and it in theirs. Such a
// dispatcher sleeps, and tries again after 32, 64, … 4,096 edges; half as many again after each 128
// edges at which it looked undisturbed.
//
//     spin for edge.budget(); maybe sleep; edge.ended(idle) or edge.crowded();
//
// Cost: what it spins in vain is less than twice `most` until it gives up, then `most` per 16
// edges.
//
// Thread: the dispatcher's own.
#pragma once

#include <chrono>

#include <nio/base/Cpp20.h>

namespace nio {

class BusyEdge {
  public:
    using Time = std::chrono::nanoseconds;

    // No more than this is ever spent on one edge.
    static constexpr Time longest = std::chrono::seconds(1);

    // Zero: off. Negative is zero, more than `longest` is that.
    explicit BusyEdge(Time most);

    bool isOn() const { return most_ > Time::zero(); }
    Time most() const { return most_; }
    // How long to look at this edge. Zero: sleep at once.
    Time budget() const { return isProbe() ? most_ : budget_; }
    // It was over after `idle`, spinning and sleeping together.
    void ended(Time idle);
    // While this one looked, somebody else had its CPU, for longer than `most`.
    void crowded();

  private:
    static constexpr int fewestEdgesPerProbe = 16;
    static constexpr int mostEdgesPerProbe = 4096;
    static constexpr int edgesPerTrust = 128;
    // Shorter times are not worth a look.
    Time least() const { return most_ / 8; }
    bool isProbe() const { return isOn() && edgesAsleep_ >= edgesPerProbe_ - 1; }

    void undisturbed();

    Time most_;
    Time budget_;
    int edgesAsleep_ = 0;  // in a row that were not spent looking
    int edgesPerProbe_ = fewestEdgesPerProbe;
    int undisturbed_ = 0;  // edges it looked at since it was crowded, or trusted more
    bool isCrowded_ = false;
};

}  // namespace nio
