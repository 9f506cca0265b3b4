// Limits what a connection reads to `bytesPerSecond`, after a first burst of as much, by pausing
// reading. It counts the bytes of ByteStream and Packet, and each item of another type as one.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <nio/pipeline/StageTimer.h>

namespace nio {

class RateLimitStage {
  public:
    static constexpr bool isTransparent = true;

    explicit RateLimitStage(std::size_t perSecond) : perSecond_(double(perSecond)) {}

    void opened(auto&) {
        left_ = perSecond_;
        filledAt_ = Clock::now();
    }
    void read(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        left_ -= sizeOf(item);
        // The item has arrived already: to hold it back would only keep a copy of it.
        context.read(std::forward<decltype(item)>(item));
        const bool isOpen = context.connection().channel().isOpen();
        if (left_ < 0 && isOpen && !timer_.isSet()) wait(context);
    }
    void closed(auto&) { timer_.stop(); }
    void leaving(auto&) { timer_.stop(); }
    void arrived(auto& context) NIO_REQUIRES(onDispatcher) {
        if (left_ < 0) wait(context);
    }

  private:
    static double sizeOf(ByteView bytes) { return double(bytes.size()); }
    static double sizeOf(const auto&) { return 1; }

    void fill() {
        const TimePoint now = Clock::now();
        const std::chrono::duration<double> time = now - std::exchange(filledAt_, now);
        left_ = std::min(perSecond_, left_ + perSecond_ * time.count());
    }
    void wait(auto& context) NIO_REQUIRES(onDispatcher) {
        fill();
        if (left_ >= 0) return context.resumeReading();
        context.pauseReading();
        const std::chrono::duration<double> time(-left_ / perSecond_);
        timer_.wakeAt(context.connection(), Clock::after(time), [this, context]() mutable {
            onDispatcher.assertCurrent();
            left_ = 0;
            filledAt_ = Clock::now();
            context.resumeReading();
        });
    }

    double perSecond_;
    double left_ = 0;
    TimePoint filledAt_{};
    StageTimer timer_;
};

// Throws std::invalid_argument for zero.
inline RateLimitStage rateLimit(std::size_t bytesPerSecond) {
    if (bytesPerSecond == 0) throw std::invalid_argument("nio::rateLimit: must not be 0");
    return RateLimitStage(bytesPerSecond);
}

}  // namespace nio
