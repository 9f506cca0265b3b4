// Backoff for polling a value that another thread will change soon: first relax the CPU (the change
// is tens of nanoseconds away), then yield (the other thread may need this CPU), then sleep briefly
// (the other thread may have a lower priority).
//
// Thread: one; a value for one wait.
#pragma once

#include <nio/base/Cpp20.h>

namespace nio {

class Backoff {
  public:
    void pause() noexcept;

  private:
    int attempt_ = 0;
};

}  // namespace nio
