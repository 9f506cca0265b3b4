// What a misbehaviour came to.
//
// Thread: one at a time; a value.
#pragma once

#include <string>

#include <nio/sys/Clock.h>

#include "echo_client/misbehave/MisbehaviourFigures.h"

namespace load {

struct MisbehaviourResult {
    MisbehaviourFigures total;
    nio::Clock::duration took{0};  // from the first connect to the last close
    bool interrupted = false;
    std::size_t dispatchers = 0;
    std::string server;    // the address
    std::string selector;  // "epoll"

    double seconds() const { return std::chrono::duration<double>(took).count(); }
    double connectsPerSecond() const {
        return seconds() > 0 ? static_cast<double>(total.made()) / seconds() : 0;
    }
};

}  // namespace load
