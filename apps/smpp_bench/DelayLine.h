// Things that come out again, each after a time of its own; those due at once in their order.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: not longer than the dispatcher.
#pragma once

#include <map>
#include <utility>

#include <nio/timers/Deadline.h>

namespace smppbench {

template <class T>
class DelayLine {
  public:
    DelayLine(nio::DeadlineQueue& deadlines, nio::UniqueFunction<void(T)> out)
        : out_(std::move(out)), alarm_(deadlines, [this] {
              nio::onDispatcher.assertCurrent();
              letOut();
          }) {}

    // A delay of zero is none: put() calls `out` itself.
    void put(T thing, nio::Clock::duration delay) NIO_REQUIRES(nio::onDispatcher) {
        if (delay == nio::Clock::duration::zero()) return out_(std::move(thing));
        const auto place = waiting_.emplace(nio::Clock::now() + delay, std::move(thing));
        if (place == waiting_.begin()) alarm_.wakeAt(place->first);
    }
    std::size_t size() const { return waiting_.size(); }

  private:
    void letOut() NIO_REQUIRES(nio::onDispatcher) {
        const nio::TimePoint now = nio::Clock::now();
        while (!waiting_.empty() && waiting_.begin()->first <= now) {
            out_(std::move(waiting_.extract(waiting_.begin()).mapped()));
        }
        if (!waiting_.empty()) alarm_.wakeAt(waiting_.begin()->first);
    }

    nio::UniqueFunction<void(T)> out_;
    std::multimap<nio::TimePoint, T> waiting_;  // by when they are due
    nio::Deadline alarm_;
};

}  // namespace smppbench
