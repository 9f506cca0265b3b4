// One dispatcher's share of a MemoryBudget: what its channels hold in buffers, and which actions of
// the budget are due. SelectorThread performs them between two callbacks. Without a budget it only
// counts.
//
// It compares the sum of all dispatchers with the budget when it holds `step` more than at the last
// comparison, when an action begins on another dispatcher (an alarm), and every lookInterval while
// an action lasts, so a lost alarm causes only a short delay.
//
// Thread: the dispatcher's own, except construction and destruction; bytes() any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/memory/BufferLedger.h>
#include <nio/memory/MemoryBudget.h>
#include <nio/sys/LogLimiter.h>
#include <nio/tasks/TaskQueue.h>
#include <nio/timers/Deadline.h>

namespace nio {

class MemoryAccount {
  public:
    // `dispatcher` (its name) and `deadlines` must outlive this. Without a `budget` (null) no
    // action is ever due.
    MemoryAccount(const std::string& dispatcher, DeadlineQueue& deadlines,
                  std::shared_ptr<TaskQueue> queue, std::shared_ptr<MemoryBudget> budget);
    MemoryAccount(const MemoryAccount&) = delete;
    MemoryAccount& operator=(const MemoryAccount&) = delete;
    ~MemoryAccount();

    // --- what is held -----------------------------------------------------------------------

    // Sets how many bytes the channel in this slot of the registry holds. `evictFirst`: it is
    // evicted before unmarked channels.
    void set(std::uint32_t slot, std::size_t bytes, bool evictFirst = false)
        NIO_REQUIRES(onDispatcher) {
        ledger_.set(slot, bytes, evictFirst);
        if (budget_ != nullptr) changed();
    }
    // Adds bytes held outside channels, such as by a queue; negative: subtracts them. No eviction
    // frees them: their owner sheds load while refusesConnections().
    void addElsewhere(std::ptrdiff_t change) NIO_REQUIRES(onDispatcher) {
        ledger_.addElsewhere(change);
        if (budget_ != nullptr) changed();
    }
    void forget(std::uint32_t slot) NIO_REQUIRES(onDispatcher) {
        if (ledger_.held(slot) > 0) set(slot, 0);
    }
    std::size_t bytes() const { return ledger_.sum(); }
    // Null: none. Thread: any.
    const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
    const BufferLedger& ledger() const { return ledger_; }

    // --- what follows from it ---------------------------------------------------------------
    // countPaused() and countRefused() require a budget.

    bool pausesReading() const { return overload_.pauses; }
    bool refusesConnections() const { return overload_.refuses; }
    void countPaused() { MemoryBudget::Share::increment(share_->paused); }
    void countRefused() { MemoryBudget::Share::increment(share_->refused); }

    // --- for the dispatcher -----------------------------------------------------------------

    // Whether an action is due before the next callback. Always false without a budget.
    bool isDue() const { return due_; }
    const MemoryBudgetOptions& options() const { return budget_->options(); }
    // Compares the sum with the budget. If an action begins, alerts the other dispatchers to
    // compare, too; one that could not be alerted is alerted by a later look.
    void look() NIO_REQUIRES(onDispatcher);
    // True once after each change of pausesReading().
    bool takePausingChanged() { return std::exchange(pausingChanged_, false); }
    // Call after acting. More may still be due: maxDropsAtOnce limits the evictions.
    void relieved() { due_ = pausingChanged_ || mustDrop(); }
    // Whether this dispatcher must evict a channel: the budget is overdrawn, or it holds at least
    // the mean of all. The mean, not the maximum: the largest holder may hang.
    bool mustDrop() const;
    // Counts and logs an eviction; `holder` returns the handler's name.
    void countDropped(std::size_t bytes, UniqueFunction<std::string()> holder);
    // Call when the dispatcher has stopped and holds nothing.
    void retire();

  private:
    void changed() NIO_REQUIRES(onDispatcher);
    void lookNow() NIO_REQUIRES(onDispatcher);
    bool alarm();
    bool refusesForTooLong(bool before);
    void tellIfChanged();
    void say(const std::string& what) const;

    const std::string& dispatcher_;
    const std::shared_ptr<TaskQueue> queue_;
    const std::shared_ptr<MemoryBudget> budget_;
    BufferLedger ledger_;
    bool due_ = false;
    MemoryBudget::Share* share_ = nullptr;  // with a budget
    std::size_t lookAt_ = MemoryBudget::step;
    MemoryBudget::Sum sum_;  // at the last look
    Overload overload_;
    Overload acts_;  // overload_, and evictions after dropAfter or of marked channels
    bool pausingChanged_ = false;
    bool owesAlert_ = false;  // another dispatcher was not alerted yet
    TimePoint refusesSince_{};
    std::uint64_t refusedBefore_ = 0;
    Deadline nextLook_;
    Overload told_;  // last logged
    TimePoint toldAt_{};
    LogLimiter dropLines_;
};

}  // namespace nio
