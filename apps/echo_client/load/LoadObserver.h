// Sees a load while it runs, once a second or more often.
//
// Thread: one at a time: the one that directs the load.
#pragma once

#include "echo_client/figures/Sample.h"

namespace load {

class LoadObserver {
  public:
    virtual ~LoadObserver() = default;
    // How much time one sample should cover.
    virtual nio::Clock::duration cadence() const { return std::chrono::seconds(1); }
    virtual void observed(const Sample& sample) = 0;
    // A line that the user should see now.
    virtual void told(const std::string&) {}
    // Once, when the load is over: what has come since it last observed one.
    virtual void ended(const Sample&) {}
    // The load is over, or other output comes: a terminal is left clean.
    virtual void over() {}
};

}  // namespace load
