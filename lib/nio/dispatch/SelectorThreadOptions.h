// What can be set about one dispatcher. Every limit has a default.
//
// Thread: a value; the two functions are called on the dispatcher.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include <nio/dispatch/Failure.h>
#include <nio/selector/Selector.h>

namespace nio {

struct SelectorThreadOptions {
    std::string name = "nio";
    SelectorOptions selector{};
    // An engine that SelectorKind does not name. Empty: Selector::open(selector).
    std::function<Result<std::unique_ptr<Selector>>()> openSelector{};

    // Tasks that wait at most; more are refused with queueFull.
    std::size_t maxQueuedTasks = 1'000'000;
    // Tasks that run in one turn at most; the rest runs in the next, after the events.
    std::size_t maxTasksPerTurn = 4096;
    // Failures of the loop itself in a row (out of memory, a select that fails) after which the
    // dispatcher stops instead of trying again.
    std::size_t maxLoopFailures = 16;
    // Busy edge: before it sleeps, a dispatcher with nothing to do looks again and again for so
    // long at most (and invokeAndWait so long for its task's end). What comes meanwhile is served
    // without the delay of a wake-up; the CPU is busy meanwhile. It spins less while that does not
    // pay: an idle dispatcher soon sleeps. Zero: never. At most a second.
    std::chrono::nanoseconds spin{0};

    // An exception escaped from a callback, a task or a deadline. Must not throw. The default logs.
    std::function<void(const Failure&)> onFailure{};
    // A WrongThreadError escaped: a mistake of the program, not of that channel. The default logs
    // and aborts; a function that returns lets the dispatcher treat it as any other exception.
    std::function<void(const Failure&)> onMisuse{};
};

}  // namespace nio
