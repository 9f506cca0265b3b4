// Measures a dispatcher's turns, and counts what happens in them.
//
// The clock is read once per callback: the end of one is the beginning of the next. Where nothing
// has run since the last look, the last look is the beginning of the wait, too.
//
// Thread: the dispatcher's own; const functions any.
#pragma once

#include <atomic>
#include <utility>

#include <nio/base/Published.h>
#include <nio/observe/DispatcherMetrics.h>
#include <nio/sys/Ticks.h>

namespace nio {

class TurnMeter {
  public:
    // Before a turn that does not directly follow the last: the time in between is not counted.
    void goesOn() { last_ = clock_.now(); }

    // The last look at the clock: what runs now began then.
    kernel::Ticks last() const { return last_; }

    void tasksEnded() { taskTicks_.add(sinceLast()); }
    void callbackEnded() {
        const kernel::Ticks took = sinceLast();
        inCallbacks_ += took;
        callbackTimes_.count(clock_.nanoseconds(took));
    }
    void deadlineExpired() {
        deadlinesExpired_.add(1);
        callbackEnded();
    }
    // Something else has run; its time is not counted.
    void other() { last_ = clock_.now(); }

    void selects() {
        callbackTicks_.set(inCallbacks_);
        select_.set(2 * (last_ - inSelect_) + 1);
    }
    void selected(std::size_t events) {
        inSelect_ += sinceLast();
        select_.set(2 * inSelect_);
        events_.add(events);
        eventsPerTurn_.count(events);
    }

    void closed(CloseReason reason) { closes_[static_cast<std::size_t>(reason)].add(1); }

    // Includes the wait in progress, since an idle dispatcher may sleep for hours. Never decreases,
    // whichever thread asks.
    std::chrono::nanoseconds selectTime() const;
    // Fills in what is counted here.
    void read(DispatcherMetrics& into) const;

  private:
    kernel::Ticks sinceLast() {
        const kernel::Ticks now = clock_.now();
        return now - std::exchange(last_, now);
    }

    const kernel::TickClock clock_ = kernel::TickClock::best();
    kernel::Ticks last_ = clock_.now();
    kernel::Ticks inCallbacks_ = 0;
    kernel::Ticks inSelect_ = 0;
    // 2 * inSelect_; while it waits, 2 * (begin of the wait - inSelect_) + 1. One word, since a
    // reader of two might see one from before and one from after the end of a wait.
    Published<kernel::Ticks> select_;
    mutable std::atomic<std::int64_t> selectTold_{0};  // ticks; the most returned so far
    Published<kernel::Ticks> callbackTicks_;
    Published<kernel::Ticks> taskTicks_;
    Published<std::uint64_t> events_;
    Published<std::uint64_t> deadlinesExpired_;
    std::array<Published<std::uint64_t>, closeReasons> closes_{};
    PublishedHistogram eventsPerTurn_;
    PublishedHistogram callbackTimes_;
};

}  // namespace nio
