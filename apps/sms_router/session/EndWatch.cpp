#include "sms_router/session/EndWatch.h"

#include <utility>

#include <nio/loop/SelectorThread.h>
#include <nio/sys/Kernel.h>

namespace router {

namespace {

constexpr std::chrono::milliseconds period{100};

}  // namespace

EndWatch::EndWatch(nio::DeadlineQueue& deadlines, int fd, nio::UniqueFunction<void()> ended)
    : fd_(fd), ended_(std::move(ended)), next_(deadlines, [this] {
          nio::onDispatcher.assertCurrent();
          look();
      }) {}

void EndWatch::start() {
    isOn_ = true;
    if (!next_.isSet()) next_.wakeAfter(period);
}

void EndWatch::look() {
    if (!isOn_) return;
    hasPeerEnded() ? ended_() : next_.wakeAfter(period);
}

bool EndWatch::hasPeerEnded() const {
    pollfd entry{fd_, POLLRDHUP, 0};
    const auto found = nio::kernel::waitPoll({&entry, 1}, std::chrono::nanoseconds::zero());
    return found && found.value() > 0;
}

}  // namespace router
