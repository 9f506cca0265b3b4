// Things that come out again, in their order, after the same time for each.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: not longer than the dispatcher.
#pragma once

#include <deque>
#include <utility>

#include <nio/timers/Deadline.h>

namespace smppbench {

template <class T>
class DelayLine {
  public:
    // A delay of zero is none: put() calls `out` itself.
    DelayLine(nio::DeadlineQueue& deadlines, nio::Clock::duration delay,
              nio::UniqueFunction<void(T)> out)
        : delay_(delay), out_(std::move(out)), alarm_(deadlines, [this] {
              nio::onDispatcher.assertCurrent();
              letOut();
          }) {}

    void put(T thing) NIO_REQUIRES(nio::onDispatcher) {
        if (delay_ == nio::Clock::duration::zero()) return out_(std::move(thing));
        waiting_.push_back({nio::Clock::now() + delay_, std::move(thing)});
        if (waiting_.size() == 1) alarm_.wakeAt(waiting_.front().due);
    }
    std::size_t size() const { return waiting_.size(); }

  private:
    struct Waiting {
        nio::TimePoint due;
        T thing;
    };

    void letOut() NIO_REQUIRES(nio::onDispatcher) {
        const nio::TimePoint now = nio::Clock::now();
        while (!waiting_.empty() && waiting_.front().due <= now) {
            T thing = std::move(waiting_.front().thing);
            waiting_.pop_front();
            out_(std::move(thing));
        }
        if (!waiting_.empty()) alarm_.wakeAt(waiting_.front().due);
    }

    const nio::Clock::duration delay_;
    nio::UniqueFunction<void(T)> out_;
    std::deque<Waiting> waiting_;
    nio::Deadline alarm_;
};

}  // namespace smppbench
