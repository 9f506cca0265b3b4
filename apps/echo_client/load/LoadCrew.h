// The workers of a load, wherever they are.
//
// Thread: one at a time. Lifetime: longer than the load; begin() once, end() before its listener
// goes.
#pragma once

#include <stdexcept>
#include <vector>

#include "echo_client/load/LoadWorker.h"

namespace load {

// begin() was cut short by a signal.
class Interrupted : public std::runtime_error {
  public:
    Interrupted() : std::runtime_error("interrupted") {}
};

class LoadCrew {
  public:
    virtual ~LoadCrew() = default;
    // The workers call `listener` from now on. Errors: an exception with a sentence.
    virtual void begin(LoadWorkerListener& listener) = 0;
    // Nobody calls the listener any more once it has returned.
    virtual void end() = 0;

    virtual std::size_t size() const = 0;
    virtual LoadWorker& operator[](std::size_t index) = 0;
    // How long before it begins a load must be announced.
    virtual nio::Clock::duration notice() const = 0;
};

}  // namespace load
