// Wakes up the select of another thread. It outlives the selector, so that a late call is harmless.
//
// Thread: signal() any; clear() the dispatcher's own.
#pragma once

#include <nio/sys/Kernel.h>
#include <nio/sys/Process.h>

namespace nio {

class WakeUp {
  public:
    // Throws std::system_error when no descriptor is left.
    WakeUp() : event_(kernel::createEvent().orThrow()) {}

    void signal() noexcept { kernel::signalEvent(event_.get()); }
    void clear() noexcept { kernel::clearEvent(event_.get()); }
    int fd() const { return event_.get(); }
    // In a forked process: creates a new event; the parent keeps the old one.
    Result<void> renew() { return kernel::renewEvent(event_.get()); }

  private:
    UniqueFd event_;
};

}  // namespace nio
