// A simulated io_uring as the machine sees it: Ring.h, where the kernel's header knows io_uring.
//
// Thread: the one of the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include <nio/sys/Clock.h>

namespace simulation {

class AnyRing {
  public:
    virtual ~AnyRing() = default;

    // What the call returns, or minus an errno. `asleep` is called once where it would sleep; then
    // it returns, as if its time were over or a signal had come.
    virtual long enter(std::uint32_t count, bool sleeps,
                       std::optional<std::chrono::nanoseconds> wait,
                       const std::function<void()>& asleep) = 0;
    virtual std::optional<nio::TimePoint> sleepsUntil() const = 0;
    virtual bool isAsleep() const = 0;
    // A poll of an event has not told of its last signal.
    virtual bool hasSignal() const = 0;
    virtual void eventSignalled(int fd) = 0;
    virtual bool hasOperationOn(int fd) const = 0;
    // Whose it is, waits no more.
    virtual void changeThread() = 0;
};

}  // namespace simulation
