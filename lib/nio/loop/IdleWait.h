// How a dispatcher waits for events, as its WaitPolicy says. With work in the queue it polls
// without waiting, else it sleeps in select. Busy-polling polls for a while before it sleeps, and
// yields the CPU between polls. Moderation may first pause with nothing to wake it. In both cases
// the dispatcher counts as awake: a post costs no system call, and is seen within a microsecond or
// so, or after the pause.
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

// How a dispatcher waits for work: the policy, without a clock or a system call. Two options, both
// off by default: busy-polling spends CPU to save latency, moderation spends latency to save CPU.
// docs/waiting.md explains both.
//
// Busy-polling. An edge is an idle time between two pieces of work. Polling pays if the edge is no
// longer than `spin`: such an edge doubles the polling time of the next one, up to `spin`, and a
// longer one halves it, down to zero. A dispatcher that has given up polls at every 16th edge for
// the whole of `spin`, since the delay of a sleep may have made the edges long. If other threads
// want its CPU it sleeps at once and polls again after 32, 64, … 4,096 edges; every 128 edges
// polled undisturbed halve that number.
//
// Moderation. A wake-up costs the same for one event and for ten. A dispatcher that batches
// (gathers()) lets `moderation` pass between the ends of two selects, so that one turn serves what
// arrives meanwhile. It decides in rounds of eight such times:
//  - After a round with two turns or more per `moderation`, the next round batches.
//  - If that round received less than two thirds of what the round before did, the peers wait for
//    answers before they send more, and batching only slows them down: no batching for 1, 2, … 128
//    rounds.
//  - Otherwise batching goes on. After 64 rounds, or one that received less than half, a round
//    without batching follows.
// Rounds are compared by the bytes received. If most turns of the round without batching received
// none, also by the tasks run, and by the keys of turns without bytes (watches, say).
//
// Cost: polling that finds nothing takes less than twice `spin` until it gives up, then `spin` per
// 16 edges.
//
// Thread: the dispatcher's own.
class WaitPolicy {
  public:
    using Time = std::chrono::nanoseconds;

    static constexpr Time longestSpin = std::chrono::seconds(1);
    static constexpr Time longestModeration = std::chrono::milliseconds(10);

    // Zero: off. Values are clamped to zero and the maxima above.
    explicit WaitPolicy(Time spin, Time moderation = Time::zero());

    // --- busy-polling: spin for spin(); maybe sleep; idled(time) or crowded() -----------------

    bool spins() const { return mostSpin_ > Time::zero() && !gathers_; }
    Time mostSpin() const { return mostSpin_; }
    // How long to poll at this edge. Zero: sleep at once.
    Time spin() const { return isProbe() ? mostSpin_ : spin_; }
    // The edge ended after `idle`, polling and sleeping together.
    void idled(Time idle);
    // While it polled, another thread had its CPU for longer than mostSpin().
    void crowded();

    // What a dispatcher has done before this select, since the beginning.
    struct Done {
        std::uint64_t bytes = 0;  // received
        std::uint64_t tasks = 0;
        std::uint64_t keys = 0;
    };

    // --- moderation: sleep for pause(time); select; selected(time, done) ----------------------

    bool moderates() const { return moderation_ > Time::zero(); }
    bool gathers() const { return gathers_; }
    // How long to pause before the next select, `since` after the last one ended.
    Time pause(Time since) const;
    // A select has ended, `took` after the one before.
    void selected(Time took, const Done& done);

  private:
    static constexpr int fewestEdgesPerProbe = 16;
    static constexpr int mostEdgesPerProbe = 4096;
    static constexpr int edgesPerTrust = 128;
    static constexpr int pausesPerRound = 8;
    static constexpr int turnsPerPause = 2;
    static constexpr int roundsOfGathering = 64;
    static constexpr int mostRest = 128;

    // Shorter times are not worth polling.
    Time leastSpin() const { return mostSpin_ / 8; }
    bool isProbe() const { return mostSpin_ > Time::zero() && asleep_ >= edgesPerProbe_ - 1; }
    void undisturbed();
    // Per nanosecond of a round.
    struct Rates {
        double bytes = 0;
        double others = 0;
    };
    void freeRoundEnded(const Rates& rates);
    void gatheringRoundEnded(const Rates& rates);
    // Whether either is below this share of what is usual.
    bool isBelow(double share, const Rates& rates) const;

    Time mostSpin_;
    Time spin_;
    int asleep_ = 0;  // edges in a row that were not spent looking
    int edgesPerProbe_ = fewestEdgesPerProbe;
    int undisturbed_ = 0;  // edges it looked at since it was crowded, or trusted more
    bool isCrowded_ = false;

    bool gathers_ = false;
    int rounds_ = 0;  // that have gathered, since one that has not
    int rest_ = 0;    // rounds that do not gather, whatever happens
    int nextRest_ = 1;
    // Of this round:
    int turns_ = 0;
    int turnsWithoutBytes_ = 0;
    Time time_{0};
    std::uint64_t bytes_ = 0;
    std::uint64_t others_ = 0;  // tasks, and keys of turns without bytes
    Time moderation_;
    Done done_;    // when the last select ended
    Rates usual_;  // of the last round that did not gather
};

class IdleWait {
  public:
    using Selected = Result<std::span<SelectionKey* const>>;

    // Both must outlive it.
    IdleWait(Selector& selector, TaskQueue& queue, WaitPolicy policy)
        : selector_(selector), queue_(queue), policy_(policy) {}

    // Selector::select, but waiting tasks end the wait, too. Takes at most `wait`.
    [[gnu::hot]] Selected select(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);

    std::chrono::nanoseconds mostSpin() const { return policy_.mostSpin(); }
    // Total time of busy-polling, in which there was nothing to do. Polling while others wanted the
    // CPU is not counted, since they may have had it.
    std::chrono::nanoseconds spun() const {
        return std::chrono::nanoseconds(spun_.load(std::memory_order_relaxed));
    }

  private:
    static bool mayWait(const kernel::WaitTime& wait) { return !wait || wait->count() > 0; }
    [[gnu::hot]] Selected selectOrSpin(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    Selected selectModerated(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    void gather(kernel::WaitTime& wait) NIO_REQUIRES(onDispatcher);
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
    WaitPolicy policy_;
    TimePoint selectedAt_{};  // with moderation: the end of the last select
    std::uint64_t keys_ = 0;  // with moderation: selected so far
    bool crowded_ = false;    // found at this edge
    std::atomic<std::int64_t> spun_{0};
};

}  // namespace nio
