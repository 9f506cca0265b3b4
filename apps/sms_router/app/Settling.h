// Waits until the connectors are bound, or have failed to be for the first time.
//
// Thread: one dispatcher's own, except construction.
#pragma once

#include <functional>

#include <nio/loop/SelectorThread.h>
#include <nio/timers/Deadline.h>

namespace router {

class Settling {
  public:
    static constexpr std::chrono::seconds longest{2};

    Settling(nio::SelectorThread& thread, std::function<bool()> isSettled);

    // Once. `then` runs when all are settled, at the latest after `within`.
    void awaitNow(std::function<void()> then, nio::Clock::duration within = longest)
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void look() NIO_REQUIRES(nio::onDispatcher);

    const std::function<bool()> isSettled_;
    std::function<void()> then_;
    nio::TimePoint end_{};
    nio::Deadline next_;
};

}  // namespace router
