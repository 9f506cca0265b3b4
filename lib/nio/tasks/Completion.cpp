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

}  // namespace nio
