// What can be set about one dispatcher. Every limit has a default.
//
// Thread: a value; openSelector is called by the constructor, onStall on the watchdog's thread,
// threadStarted on its own, the other functions on the dispatcher.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nio/base/Guarded.h>
#include <nio/observe/Watchdog.h>
#include <nio/selector/Selector.h>

namespace nio {

class MemoryBudget;

struct SelectorThreadOptions {
    std::string name = "nio";
    SelectorOptions selector{};
    // An engine that SelectorKind does not name. Empty: Selector::open(selector).
    std::function<Result<std::unique_ptr<Selector>>()> openSelector{};

    // Tasks that wait at most; more are refused with queueFull.
    std::size_t maxQueuedTasks = 1'000'000;
    // Tasks that run in one turn at most; the rest runs in the next, after the events.
    std::size_t maxTasksPerTurn = 4096;
    // invokeAndWait without a timeout of its own gives up after so long (timedOut) where turn()
    // makes the turns: its caller may have stopped for good.
    std::chrono::milliseconds handDrivenWait{10'000};
    // Failures of the loop itself in a row (out of memory, a select that fails), 10 ms apart, after
    // which the dispatcher stops instead of trying again.
    std::size_t maxLoopFailures = 16;
    // That has happened: why (loopFailed), with the dispatcher's name; once, before it stops. Must
    // not throw. A Server ends its other dispatchers, too, and its wait() throws this.
    std::function<void(const Error&)> onGivingUp{};
    // With this, run() returns, and start()'s thread ends, once nothing has been registered, queued
    // or due for so long (zero: at once). The dispatcher has not stopped: run() may be called
    // again, and after start() the next post makes a new thread, which has the signal mask and the
    // CPUs of the thread that posts (see threadStarted). Channels that have moved elsewhere do not
    // count; open questions (Ask.h) do. Absent: it ends by requestClose().
    std::optional<std::chrono::milliseconds> idleStop{};
    // start() makes no thread; the first post does: a task, or a connection. Where the system has
    // no thread for it, that is logged, and the task waits for the next post. The thread has the
    // signal mask and the CPUs of the one that posts (see threadStarted).
    bool lazyStart = false;
    // Called first on each thread that start() or a post makes: for its name, CPUs, signal mask or
    // priority. Must not throw.
    std::function<void()> threadStarted{};
    // Busy edge: before it sleeps, a dispatcher with nothing to do looks again and again for so
    // long at most (and invokeAndWait so long, but 50 µs at most, for its task's end). What comes
    // meanwhile is served without the delay of a wake-up; the CPU is busy meanwhile. It spins less
    // while that does not pay: an idle dispatcher soon sleeps. Zero: never. At most a second.
    std::chrono::nanoseconds spin{0};
    // Wake-up moderation: under load a dispatcher lets this time pass between two selects, so that
    // what arrives meanwhile is served in one turn: less CPU per message, for a delay of at most
    // this long. Only while it is woken often and its peers do not wait for each answer; no
    // deadline is late by it. A task that is posted meanwhile waits with the rest. Its thread's
    // timer slack becomes 1 ns. Zero: never. At most 10 ms. See docs/waiting.md.
    std::chrono::nanoseconds moderation{0};
    // What it may hold for buffered bytes, together with all others that have the same budget: see
    // MemoryBudget.h. Null: each connection has its limits, all together have none.
    std::shared_ptr<MemoryBudget> memoryBudget{};

    // While run() (start()) makes the turns, the watchdog reports a callback, a task or a deadline
    // that runs for longer: once, while it runs. Zero: it is not watched. See Watchdog.h.
    std::chrono::milliseconds stallLimit{100};
    // Called on the watchdog's thread. Must not throw, nor end a dispatcher. The default logs a
    // warning, one in a second at most.
    std::function<void(const Stall&)> onStall{};

    // What it did last, for FlightDump.h: so many records (of 40 bytes) at least, rounded up to a
    // power of two. Zero: none but the newest two, which the watchdog needs; not those either
    // where nothing is watched.
    std::size_t flightRecords = 1024;

    // An exception escaped from a callback, a task or a deadline. Must not throw. The default logs.
    std::function<void(const Failure&)> onFailure{};
    // A WrongThreadError escaped: a mistake of the program, not of that channel. The default logs
    // and aborts; a function that returns lets the dispatcher treat it as any other exception.
    std::function<void(const Failure&)> onMisuse{};

    // Of a dispatcher without sockets whose tasks may block (look-ups, files): that is no stall.
    static SelectorThreadOptions forBlocking(std::string name) {
        SelectorThreadOptions options;
        options.name = std::move(name);
        options.selector.receiveBufferBytes = 1;
        options.stallLimit = std::chrono::milliseconds::zero();
        return options;
    }
};

}  // namespace nio
