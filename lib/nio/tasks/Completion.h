// A one-shot event on which invokeAndWait waits. Simulations link a replacement whose wait() makes
// the turns of the other dispatchers.
//
// Thread: finish() any, once; wait() one other, which may destroy this as soon as it returns.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include <nio/base/Result.h>

namespace nio {

class Completion {
  public:
    // Maximum time to busy-poll; a longer wait is not worth a CPU.
    static constexpr std::chrono::nanoseconds longestSpin = std::chrono::microseconds(50);

    // wait() busy-polls for `spin`, at most longestSpin, before it sleeps.
    explicit Completion(std::chrono::nanoseconds spin = std::chrono::nanoseconds::zero())
        : spin_(spin) {}

    void finish();
    void wait();

  private:
    enum class State { pending, slept, done, leftAlone };

    bool isDoneAfterSpinning() const;

    const std::chrono::nanoseconds spin_;
    std::atomic<State> state_{State::pending};
};

// When invokeAndWait gives up. If the task has begun by then, it is still waited for; if not, it
// never runs.
struct WaitLimits {
    // Gives up with timedOut.
    std::optional<std::chrono::nanoseconds> timeout{};
    // Gives up with cancelled.
    std::stop_token stop{};

    bool any() const { return timeout.has_value() || stop.stop_possible(); }
};

// A Completion whose waiter may give up.
//
// Thread: begin() and finish() the task's, wait() the waiting one.
// Lifetime: shared by the two.
class LimitedCompletion {
  public:
    // False: the waiter has given up; do not run the task.
    bool begin();
    void finish();
    // timedOut, cancelled: begin() has not been called, and will return false.
    Result<void> wait(const WaitLimits& limits);

  private:
    enum class State { pending, begun, done, givenUp };

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::pending;  // under mutex_
};

}  // namespace nio
