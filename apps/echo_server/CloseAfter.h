// --close-after: a stage that closes the connection, with FIN, behind so much output or after a
// time.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <algorithm>
#include <limits>

#include <nio/pipeline/StageTimer.h>

namespace echo {

class CloseAfter {
  public:
    struct Limit {
        std::size_t count = std::numeric_limits<std::size_t>::max();
        nio::Clock::duration time{0};  // since the connection opened; zero: no limit

        bool countsOutput() const { return count != Limit().count; }
        bool isSet() const { return countsOutput() || time > nio::Clock::duration::zero(); }
    };

    // `countsBytes`: else packets.
    CloseAfter(Limit limit, bool countsBytes)
        : left_(limit.count), time_(limit.time), countsBytes_(countsBytes) {}

    void opened(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        end_ = nio::Clock::after(time_);
        watch(context);
    }
    void write(auto& context, nio::ByteView item) NIO_REQUIRES(nio::onDispatcher) {
        const std::size_t count = countsBytes_ ? item.size() : 1;
        const bool isLast = count >= left_;
        context.write(isLast && countsBytes_ ? item.first(left_) : item);
        left_ -= std::min(left_, count);
        if (isLast) context.close();
    }
    void closed(auto&) { timer_.stop(); }
    void leaving(auto&) { timer_.stop(); }
    void arrived(auto& context) NIO_REQUIRES(nio::onDispatcher) { watch(context); }

  private:
    void watch(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (time_ == nio::Clock::duration::zero()) return;
        timer_.wakeAt(context.connection(), end_, [context]() mutable {
            nio::onDispatcher.assertCurrent();
            context.close();
        });
    }

    std::size_t left_;
    nio::Clock::duration time_;
    nio::TimePoint end_{};
    bool countsBytes_;
    nio::StageTimer timer_;
};

}  // namespace echo
