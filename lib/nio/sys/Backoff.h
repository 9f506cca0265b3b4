// What to do between two looks at something that another thread is about to change, and is not
// signalled: first nothing (it is some tens of nanoseconds away), then give up the CPU (the other
// may need it), then sleep a little (the other may be of a lower priority).
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
