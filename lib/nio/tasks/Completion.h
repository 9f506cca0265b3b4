// What invokeAndWait waits on: done once, waited for once. A seam: a simulation links a stand-in
// whose wait makes the turns of the other dispatchers.
//
// Thread: finish() any, once; wait() the waiting one, which may destroy it then.
#pragma once

#include <atomic>
#include <chrono>

#include <nio/base/Cpp20.h>

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

}  // namespace nio
