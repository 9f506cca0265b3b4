// The part of SelectorThread that counts what its channels hold, and keeps to a MemoryBudget. What
// is due is decided in MemoryAccount.cpp.
#include <nio/loop/SelectorThread.h>

namespace nio {

void SelectorThread::countBuffered(SelectableChannel& channel, std::size_t bytes, bool evictFirst) {
    Registration* registration = registrationOf(channel, "countBuffered");
    if (registration != nullptr) memory_.set(registration->slot, bytes, evictFirst);
}

void SelectorThread::countElsewhere(std::ptrdiff_t change) {
    identity_.assertCurrent("countElsewhere");
    memory_.addElsewhere(change);
}

// Between two callbacks: nobody's is on the stack.
struct SelectorThread::MemoryRelief {
    SelectorThread& thread;

    void act() NIO_REQUIRES(onDispatcher) {
        MemoryAccount& memory = *thread.memory_.account();
        for (std::size_t left = memory.options().maxDropsAtOnce; left > 0; --left) {
            if (!memory.mustDrop()) break;
            dropWorst();
            memory.look();
        }
        if (memory.takePausingChanged()) tellPressure();
        memory.relieved();
    }

  private:
    Registration* find(std::uint32_t slot) NIO_REQUIRES(onDispatcher) {
        const Registry& registry = thread.registry_;
        Registration* found = registry.find(slot, registry.generationOf(slot));
        return found != nullptr && found->isValid() ? found : nullptr;
    }
    void tellPressure() NIO_REQUIRES(onDispatcher) {
        const BufferLedger& ledger = thread.memory_.ledger();
        for (std::uint32_t slot = 0; slot < ledger.size(); ++slot) {
            Registration* holder = ledger.held(slot) > 0 ? find(slot) : nullptr;
            if (holder == nullptr) continue;
            thread.tell(*holder, "handlePressure", &SelectorHandler::handlePressure);
        }
    }
    void dropWorst() NIO_REQUIRES(onDispatcher) {
        const std::uint32_t slot = thread.memory_.ledger().worst();
        if (Registration* worst = find(slot)) {
            const std::size_t bytes = thread.memory_.ledger().held(slot);
            thread.tell(*worst, "handleOverload", &SelectorHandler::handleOverload);
            worst->handler().channel().close();
            thread.memory_.account()->countDropped(
                bytes, [worst] { return worst->handler().name(); });
        } else {
            thread.memory_.forget(slot);
        }
    }
};

// It stands between two callbacks: what it throws is nobody's.
void SelectorThread::relieveMemory() {
    guarded(
        [this] {
            onDispatcher.assertCurrent();
            MemoryRelief{*this}.act();
        },
        [this](const std::exception_ptr& thrown) {
            barrier_.report("memory budget", "relieve", thrown);
        });
}

}  // namespace nio
