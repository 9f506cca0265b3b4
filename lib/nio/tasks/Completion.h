// What invokeAndWait waits on: done once, waited for once. A seam: a simulation links a stand-in
// whose wait makes the turns of the other dispatchers.
//
// Thread: finish() any, once; wait() the waiting one, which may destroy it then.
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
    // An answer that takes longer is not worth a CPU.
    static constexpr std::chrono::nanoseconds longestSpin = std::chrono::microseconds(50);

    // wait() looks again and again for so long, and no longer than longestSpin, before it sleeps.
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

// When invokeAndWait gives up. A task that has begun by then is waited for all the same; one that
// has not never runs.
struct WaitLimits {
    // timedOut.
    std::optional<std::chrono::nanoseconds> timeout{};
    // cancelled.
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
    std::condition_variable_any changed_;
    State state_ = State::pending;  // under mutex_
};

}  // namespace nio
