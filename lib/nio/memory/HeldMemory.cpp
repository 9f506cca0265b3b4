#include <nio/memory/HeldMemory.h>

namespace nio {

HeldMemory::HeldMemory(const std::string& dispatcher, DeadlineQueue& deadlines,
                       const std::shared_ptr<TaskQueue>& queue,
                       std::shared_ptr<MemoryBudget> budget) {
    if (budget == nullptr) return;
    auto alarm = [this, queue] {
        auto look = [this] {
            onDispatcher.assertCurrent();
            account_->alarmed();
        };
        // One that has stopped need not hear it.
        const Result<void> posted = queue->pushOrRefuse(look);
        return posted || !posted.error().is(std::errc::not_enough_memory);
    };
    const MemoryAccount::Surroundings here{dispatcher, ledger_, deadlines, due_};
    account_ = std::make_unique<MemoryAccount>(here, std::move(budget), std::move(alarm));
}

}  // namespace nio
