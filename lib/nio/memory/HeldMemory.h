// What the channels of one dispatcher hold in buffers, and its part in a MemoryBudget if it has
// one.
//
// Thread: the dispatcher's own, except construction and destruction; bytes() any.
#pragma once

#include <memory>

#include <nio/memory/MemoryAccount.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

class HeldMemory {
  public:
    // `dispatcher` (its name) and `deadlines` must outlive this. `budget`: null: none.
    HeldMemory(const std::string& dispatcher, DeadlineQueue& deadlines,
               const std::shared_ptr<TaskQueue>& queue, std::shared_ptr<MemoryBudget> budget);

    // What the channel in this slot of the registry holds from now on.
    void set(std::uint32_t slot, std::size_t bytes, bool evictFirst = false)
        NIO_REQUIRES(onDispatcher) {
        ledger_.set(slot, bytes, evictFirst);
        if (account_ != nullptr) account_->changed();
    }
    void addElsewhere(std::ptrdiff_t change) NIO_REQUIRES(onDispatcher) {
        ledger_.addElsewhere(change);
        if (account_ != nullptr) account_->changed();
    }
    void forget(std::uint32_t slot) NIO_REQUIRES(onDispatcher) {
        if (ledger_.held(slot) > 0) set(slot, 0);
    }
    std::size_t bytes() const { return ledger_.sum(); }
    const BufferLedger& ledger() const { return ledger_; }

    // Null: no budget.
    MemoryAccount* account() const { return account_.get(); }
    // Something is to be done for the budget before the next callback.
    bool isDue() const { return due_; }

  private:
    BufferLedger ledger_;
    bool due_ = false;
    std::unique_ptr<MemoryAccount> account_;
};

}  // namespace nio
