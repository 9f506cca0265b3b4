// How a dispatcher selects: it looks when it has work, else it sleeps until something comes, and
// with a busy edge it looks again and again for a while before it sleeps. While it does so it
// counts as awake: a post costs no system call and is seen within a microsecond or so. Between
// looks it offers its CPU to whoever else waits for it.
//
// Thread: the dispatcher's own; mostSpin() and spun() any.
// Errors: the selector's.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <nio/selector/Selector.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

// How long a dispatcher that has nothing to do looks again and again before it sleeps: the policy,
// without a clock. The edge is the idle time between two pieces of work.
//
// Looking pays when work comes within the time that may be spent on it (`most`). Each edge that was
// longer halves the next one's time, down to nothing; each that was not doubles it. A dispatcher
// that has given up tries again at every 16th edge, for the whole time: what made it give up may
// have been the delay of a sleep.
//
// A dispatcher must not busy-poll when the CPU is contended. Such a dispatcher sleeps, and tries
// again after 32, 64, … 4,096 edges; half as many again after each 128 edges at which it looked
// undisturbed.
//
//     spin for edge.budget(); maybe sleep; edge.ended(idle) or edge.crowded();
//
// Cost: what it spins in vain is less than twice `most` until it gives up, then `most` per 16
// edges.
//
// Thread: the dispatcher's own.
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

class IdleWait {
  public:
    using Selected = Result<std::span<SelectionKey* const>>;

    // Both must outlive it. `spin`: see SelectorThreadOptions::spin.
    IdleWait(Selector& selector, TaskQueue& queue, std::chrono::nanoseconds spin)
        : selector_(selector), queue_(queue), edge_(spin) {}

    // Selector::select, but the tasks that wait count as events. It is over when `wait` is.
    [[gnu::hot]] Selected select(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);

    std::chrono::nanoseconds mostSpin() const { return edge_.most(); }
    // How long it has looked again and again, in all: time in which there was nothing to do. What
    // it spun while others wanted the CPU is not counted, since it may have been theirs.
    std::chrono::nanoseconds spun() const {
        return std::chrono::nanoseconds(spun_.load(std::memory_order_relaxed));
    }

  private:
    Selected look() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] Selected sleep(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    Selected crossEdge(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    Selected spinUntil(TimePoint end) NIO_REQUIRES(onDispatcher);
    void countSpun(std::chrono::nanoseconds time);
    void edgeEnded(std::chrono::nanoseconds idle);
    bool isOver(const Selected& selected) const;
    bool queueStaysEmpty() const;

    Selector& selector_;
    TaskQueue& queue_;
    BusyEdge edge_;
    bool crowded_ = false;  // found at this edge
    std::atomic<std::int64_t> spun_{0};
};

}  // namespace nio
