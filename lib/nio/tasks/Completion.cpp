#include <nio/tasks/Completion.h>

#include <algorithm>

#include <nio/sys/Backoff.h>
#include <nio/sys/Clock.h>

namespace nio {

// The waiter destroys this object as soon as it may go on. Who looks may go on at once: nothing is
// touched after the exchange. Who sleeps is woken first and may go on after the last store.
void Completion::finish() {
    if (state_.exchange(State::done, std::memory_order_acq_rel) != State::slept) return;
    state_.notify_one();
    state_.store(State::leftAlone, std::memory_order_release);
}

void Completion::wait() {
    if (isDoneAfterSpinning()) return;
    State pending = State::pending;
    if (!state_.compare_exchange_strong(pending, State::slept, std::memory_order_acq_rel)) return;
    state_.wait(State::slept, std::memory_order_acquire);
    Backoff backoff;
    while (state_.load(std::memory_order_acquire) != State::leftAlone) backoff.pause();
}

bool Completion::isDoneAfterSpinning() const {
    constexpr int looksPerClock = 16;
    if (spin_ <= std::chrono::nanoseconds::zero()) return false;
    const TimePoint end = Clock::now() + std::min(spin_, longestSpin);
    do {
        for (int look = 0; look < looksPerClock; ++look) {
            if (state_.load(std::memory_order_acquire) == State::done) return true;
            relax();
        }
    } while (Clock::now() < end);
    return false;
}

bool LimitedCompletion::begin() {
    const std::lock_guard lock(mutex_);
    if (state_ == State::givenUp) return false;
    state_ = State::begun;
    return true;
}

void LimitedCompletion::finish() {
    {
        const std::lock_guard lock(mutex_);
        state_ = State::done;
    }
    changed_.notify_one();
}

Result<void> LimitedCompletion::wait(const WaitLimits& limits) {
    const std::stop_callback wakeUp(limits.stop, [this] {
        { const std::lock_guard between(mutex_); }  // it has not looked yet, or sleeps
        changed_.notify_one();
    });
    std::unique_lock lock(mutex_);
    const auto isDone = [this] { return state_ == State::done; };
    const auto isOver = [&] { return isDone() || limits.stop.stop_requested(); };
    if (limits.timeout) {
        changed_.wait_until(lock, Clock::after(*limits.timeout), isOver);
    } else {
        changed_.wait(lock, isOver);
    }
    if (state_ == State::pending) {
        state_ = State::givenUp;
        return limits.stop.stop_requested() ? Errc::cancelled : Errc::timedOut;
    }
    changed_.wait(lock, isDone);
    return {};
}

}  // namespace nio
