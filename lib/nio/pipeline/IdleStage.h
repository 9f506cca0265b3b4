// Closes the connection with timedOut when no item has been read for `read`, or none written for
// `write` (zero: never). StreamOptions::idleTimeout costs less, and counts both directions
// together.
//
// A pause, also by the application, does not stop the read timeout.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include <nio/pipeline/StageTimer.h>

namespace nio {

class IdleStage {
  public:
    static constexpr bool isTransparent = true;

    IdleStage(Clock::duration read, Clock::duration write) : limits_{read, write} {}

    void opened(auto& context) NIO_REQUIRES(onDispatcher) {
        last_[0] = last_[1] = Clock::now();
        watch(context);
    }
    void read(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        last_[0] = Clock::now();
        context.read(std::forward<decltype(item)>(item));
    }
    void write(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        last_[1] = Clock::now();
        context.write(std::forward<decltype(item)>(item));
    }
    void closed(auto&) { timer_.stop(); }
    void leaving(auto&) { timer_.stop(); }
    void arrived(auto& context) NIO_REQUIRES(onDispatcher) { watch(context); }

  private:
    TimePoint end(int direction) const {
        if (limits_[direction] == Clock::duration::zero()) return TimePoint::max();
        return last_[direction] + limits_[direction];
    }
    void watch(auto& context) NIO_REQUIRES(onDispatcher) {
        const TimePoint next = std::min(end(0), end(1));
        if (next == TimePoint::max()) return;
        timer_.wakeAt(context.connection(), next, [this, context]() mutable {
            onDispatcher.assertCurrent();
            const TimePoint now = Clock::now();
            if (now >= end(0)) return context.fail(Error(Errc::timedOut, "nothing read"));
            if (now >= end(1)) return context.fail(Error(Errc::timedOut, "nothing written"));
            watch(context);
        });
    }

    Clock::duration limits_[2];  // read, write
    TimePoint last_[2]{};
    StageTimer timer_;
};

// Durations of any unit.
template <class Read, class Write = std::chrono::milliseconds>
IdleStage idle(Read read, Write write = Write::zero()) {
    return {Clock::bounded(read), Clock::bounded(write)};
}

}  // namespace nio
