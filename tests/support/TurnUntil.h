// Makes turns of a dispatcher on the calling thread until a condition holds.
//
// Thread: the one that makes the turns.
#pragma once

#include <functional>

#include <nio/loop/SelectorThread.h>

namespace support {

// False: it has stopped meanwhile, or 30 seconds were not enough, which is far more than anything
// needs. `done` is not asked again once it has said yes.
inline bool turnUntil(nio::SelectorThread& thread, const std::function<bool()>& done) {
    const nio::TimePoint end = nio::Clock::now() + std::chrono::seconds(30);
    while (!done()) {
        if (nio::Clock::now() > end) return false;
        if (!thread.turn(std::chrono::milliseconds(1))) return done();
    }
    return true;
}

}  // namespace support
