// One dispatcher's part in a MemoryBudget: it watches what the dispatcher's channels hold, and says
// which actions are due. SelectorThread acts, between two callbacks (SelectorThreadMemory.cpp).
//
// It looks at the sum of all dispatchers when it holds `step` more than at its last look, when
// another dispatcher raises the alarm (an action has begun there), and, while an action
// lasts, at every lookInterval: so nobody waits for a message that could be lost.
//
// Thread: the dispatcher's own, except construction and destruction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/memory/BufferLedger.h>
#include <nio/timers/Deadline.h>
#include <nio/memory/MemoryBudget.h>
#include <nio/sys/LogLimiter.h>

namespace nio {

class MemoryAccount {
  public:
    struct Surroundings {
        const std::string& dispatcher;  // its name
        const BufferLedger& ledger;
        DeadlineQueue& deadlines;
        bool& due;  // set when something is to be done before the next event
    };

    // The surroundings must outlive this.
    MemoryAccount(const Surroundings& at, std::shared_ptr<MemoryBudget> budget,
                  UniqueFunction<bool()> alarm);
    MemoryAccount(const MemoryAccount&) = delete;
    MemoryAccount& operator=(const MemoryAccount&) = delete;
    ~MemoryAccount();

    const MemoryBudgetOptions& options() const { return budget_->options(); }

    // The ledger has.
    void changed() NIO_REQUIRES(onDispatcher);

    bool pausesReading() const { return overload_.pauses; }
    bool refusesConnections() const { return overload_.refuses; }
    void countPaused() { BudgetShare::increment(share_.paused); }
    void countRefused() { BudgetShare::increment(share_.refused); }

    // Looks at the sum; the others look too if an action begins here: if one of them could not be
    // told, it is told by a later look.
    void look() NIO_REQUIRES(onDispatcher);
    void alarmed() NIO_REQUIRES(onDispatcher);

    // Reading of those with output that waits pauses or goes on: once per change.
    bool takePausingChanged() { return std::exchange(pausingChanged_, false); }
    // It has stopped, and holds nothing.
    void retire() { share_.act(acts_ = overload_ = {}); }
    // What was due has been done, as much of it as is to be done at once.
    void relieved() { at_.due = pausingChanged_ || mustDrop(); }
    // Of several dispatchers only one that holds its even part of the sum drops, unless the budget
    // is overdrawn: one that does should not wait for one that hangs.
    bool mustDrop() const;
    // `holder`: its name, for the log.
    void countDropped(std::size_t bytes, UniqueFunction<std::string()> holder);

  private:
    void lookNow() NIO_REQUIRES(onDispatcher);
    bool refusesForTooLong(bool before);
    void tellIfChanged();
    void say(const std::string& what) const;

    const Surroundings at_;
    const std::shared_ptr<MemoryBudget> budget_;
    BudgetShare& share_;
    std::size_t lookAt_ = MemoryBudget::step;
    MemoryBudget::Sum sum_;  // at the last look
    Overload overload_;
    Overload acts_;  // the same; and it drops, too, when it refuses for too long
    bool pausingChanged_ = false;
    bool owesAlert_ = false;  // somebody has not heard the alarm
    TimePoint refusesSince_{};
    std::uint64_t refusedBefore_ = 0;
    Deadline nextLook_;
    Overload told_;  // in the log
    TimePoint toldAt_{};
    LogLimiter dropLines_;
};

}  // namespace nio
