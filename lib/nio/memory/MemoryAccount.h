// What one dispatcher's channels hold in buffers, and its part in a MemoryBudget, if it has one: it
// says which actions are due. SelectorThread acts, between two callbacks.
//
// It compares the sum of all dispatchers with the budget when it holds `step` more than the last
// time, when another dispatcher raises the alarm (an action has begun there), and every
// lookInterval while an action lasts: an alarm that is lost delays nothing for long.
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
    // `dispatcher` (its name) and `deadlines` must outlive this. `budget`: null: none, and no
    // action is ever due.
    MemoryAccount(const std::string& dispatcher, DeadlineQueue& deadlines,
                  std::shared_ptr<TaskQueue> queue, std::shared_ptr<MemoryBudget> budget);
    MemoryAccount(const MemoryAccount&) = delete;
    MemoryAccount& operator=(const MemoryAccount&) = delete;
    ~MemoryAccount();

    // --- what is held -----------------------------------------------------------------------

    // What the channel in this slot of the registry holds from now on. `evictFirst`: it is dropped
    // before channels without this mark.
    void set(std::uint32_t slot, std::size_t bytes, bool evictFirst = false)
        NIO_REQUIRES(onDispatcher) {
        ledger_.set(slot, bytes, evictFirst);
        if (budget_ != nullptr) changed();
    }
    // So many bytes more (or less) are held outside of channels, such as by a queue. Their owner
    // sheds them: see refusesConnections().
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

    // Something must be done before the next callback. Without a budget always false.
    bool isDue() const { return due_; }
    const MemoryBudgetOptions& options() const { return budget_->options(); }
    // Compares the sum with the budget. If an action begins here, the other dispatchers do so too;
    // if one of them could not be told, a later look tells it.
    void look() NIO_REQUIRES(onDispatcher);
    // Reading of channels with pending output pauses or continues: true once per change.
    bool takePausingChanged() { return std::exchange(pausingChanged_, false); }
    // What was due has been done, or as much of it as may be done at once.
    void relieved() { due_ = pausingChanged_ || mustDrop(); }
    // Unless the budget is overdrawn, only a dispatcher that holds at least the mean of all drops
    // channels: one that does must not wait for one that hangs.
    bool mustDrop() const;
    // `holder`: its name, for the log.
    void countDropped(std::size_t bytes, UniqueFunction<std::string()> holder);
    // The dispatcher has stopped, and holds nothing.
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
    Overload acts_;  // the same; and it drops, too, when it refuses for too long
    bool pausingChanged_ = false;
    bool owesAlert_ = false;  // another dispatcher has not been told
    TimePoint refusesSince_{};
    std::uint64_t refusedBefore_ = 0;
    Deadline nextLook_;
    Overload told_;  // in the log
    TimePoint toldAt_{};
    LogLimiter dropLines_;
};

}  // namespace nio
