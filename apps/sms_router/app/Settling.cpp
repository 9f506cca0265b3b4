#include "sms_router/app/Settling.h"

namespace router {

namespace {

constexpr std::chrono::milliseconds settleEvery{5};

}  // namespace

Settling::Settling(nio::SelectorThread& thread, std::function<bool()> isSettled)
    : isSettled_(std::move(isSettled)), next_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          look();
      }) {}

void Settling::awaitNow(std::function<void()> then, nio::Clock::duration within) {
    then_ = std::move(then);
    end_ = nio::Clock::after(within);
    look();
}

void Settling::look() {
    if (isSettled_() || nio::Clock::now() >= end_) return then_();
    next_.wakeAfter(settleEvery);
}

}  // namespace router
