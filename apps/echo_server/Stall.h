// --stall: a stage that stops reading for a while in each period, on all connections at the same
// time, as a server does whose process is stopped or collects garbage.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <nio/pipeline/StageTimer.h>

namespace echo {

class Stall {
  public:
    struct Times {
        nio::Clock::duration length{0};  // zero: never
        nio::Clock::duration period{0};  // longer than that
    };

    // Periods are counted from now.
    explicit Stall(Times times) : times_(times), begin_(nio::Clock::now()) {}

    void opened(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (times_.length > nio::Clock::duration::zero()) change(context);
    }
    void closed(auto&) { timer_.stop(); }
    void leaving(auto&) { timer_.stop(); }
    void arrived(auto& context) NIO_REQUIRES(nio::onDispatcher) { opened(context); }

  private:
    void change(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        const nio::TimePoint now = nio::Clock::now();
        const nio::TimePoint end = now + (times_.period - (now - begin_) % times_.period);
        const nio::TimePoint stall = end - times_.length;
        // A drain waits for a time in which nothing comes: no more stalls.
        const bool isDraining = context.connection().dispatcher().draining().options().has_value();
        const bool isStalled = now >= stall && !isDraining;
        isStalled ? context.pauseReading() : context.resumeReading();
        timer_.wakeAt(context.connection(), now >= stall ? end : stall, [this, context]() mutable {
            nio::onDispatcher.assertCurrent();
            change(context);
        });
    }

    Times times_;
    nio::TimePoint begin_;
    nio::StageTimer timer_;
};

}  // namespace echo
