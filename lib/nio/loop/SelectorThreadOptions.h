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

    // Maximum waiting tasks; further ones are refused with queueFull.
    std::size_t maxQueuedTasks = 1'000'000;
    // Maximum tasks per turn; the rest runs in the next turn, after the events.
    std::size_t maxTasksPerTurn = 4096;
    // Timeout of an invokeAndWait without one (timedOut), if turn() makes the turns: its caller may
    // have stopped for good.
    std::chrono::milliseconds handDrivenWait{10'000};
    // Consecutive failures of the loop itself (out of memory, a select that fails), 10 ms apart,
    // after which the dispatcher stops retrying and ends.
    std::size_t maxLoopFailures = 16;
    // Called once, before the dispatcher ends for that reason (loopFailed), or because a callback
    // ended its thread (threadEnded). The error's context names the dispatcher. Must not throw. A
    // Server then ends its other dispatchers, too, and its wait() throws this.
    std::function<void(const Error&)> onGivingUp{};
    // If set, run() returns, and the thread of start() ends, once nothing has been registered,
    // queued or due for this long (zero: at once). The dispatcher has not stopped: run() may be
    // called again, and after start() the next post makes a new thread, which inherits the signal
    // mask and CPU affinity of the posting thread (see threadStarted). Channels that have migrated
    // away do not count; outstanding questions (Ask.h) do. Absent: only requestClose() ends it.
    std::optional<std::chrono::milliseconds> idleStop{};
    // start() makes no thread; the first post does (a task, or a connection). If it fails to, that
    // is logged, and the task waits for the next post. The thread inherits the signal mask and CPU
    // affinity of the posting thread (see threadStarted).
    bool lazyStart = false;
    // Called first on each thread that start() or a post makes, to set its name, CPU affinity,
    // signal mask or priority. Must not throw.
    std::function<void()> threadStarted{};
    // Busy-polling: how long at most an idle dispatcher polls before it sleeps (and invokeAndWait,
    // up to 50 µs, for its task's end). Work that arrives meanwhile is served without the delay of
    // a wake-up, at the cost of a busy CPU. It polls less while that does not pay: an idle
    // dispatcher soon sleeps. Zero: never. At most a second.
    std::chrono::nanoseconds spin{0};
    // Wake-up moderation: under load a dispatcher lets this time pass between two selects, so that
    // what arrives meanwhile is served in one turn: less CPU per message, for a delay of at most
    // this long. Applied only while it is woken often and its peers do not wait for each answer.
    // Delays tasks posted meanwhile, but no deadline. Sets its thread's timer slack to 1 ns. Zero:
    // never. At most 10 ms. See docs/waiting.md.
    std::chrono::nanoseconds moderation{0};
    // Limits the buffered bytes of all dispatchers that share this budget, see MemoryBudget.h.
    // Null: only each connection has limits.
    std::shared_ptr<MemoryBudget> memoryBudget{};

    // While run() (start()) makes the turns, the watchdog reports a callback, a task or a deadline
    // that runs for longer: once, while it runs. Zero disables the watchdog. See Watchdog.h.
    std::chrono::milliseconds stallLimit{100};
    // Called on the watchdog's thread. Must not throw, nor end a dispatcher. The default logs a
    // warning, one in a second at most.
    std::function<void(const Stall&)> onStall{};

    // Records of what it did last, for FlightDump.h, of 40 bytes each; rounded up to a power of
    // two. Zero: only the two that the watchdog needs, or none without a watchdog.
    std::size_t flightRecords = 1024;

    // An exception escaped from a callback, a task or a deadline. Must not throw. The default logs.
    std::function<void(const Failure&)> onFailure{};
    // A WrongThreadError escaped: a mistake of the program, not of that channel. The default logs
    // and aborts; a function that returns lets the dispatcher treat it as any other exception.
    std::function<void(const Failure&)> onMisuse{};

    // For a dispatcher without sockets whose tasks may block (lookups, files): no stall is
    // reported.
    static SelectorThreadOptions forBlocking(std::string name) {
        SelectorThreadOptions options;
        options.name = std::move(name);
        options.selector.receiveBufferBytes = 1;
        options.stallLimit = std::chrono::milliseconds::zero();
        return options;
    }
};

}  // namespace nio
