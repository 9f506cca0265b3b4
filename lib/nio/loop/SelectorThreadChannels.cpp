// The part of SelectorThread that deals with channels: registration, interest, and what handlers
// ask for. Its life and its turns are in SelectorThread.cpp.
#include <new>

#include <nio/loop/SelectorThread.h>

namespace nio {

// What throws has changed nothing.
Result<ChannelHandle> SelectorThread::adopt(Registration::Served served, Interest interest) try {
    SelectableChannel& channel = served.handler->channel();
    const bool listens = served.kind == Registration::Kind::accept;
    if (closed_ || (drain_ && listens)) return Errc::stopped;
    if (!channel.isOpen()) return std::errc::bad_file_descriptor;
    if (any(interest - served.servable())) return std::errc::invalid_argument;
    if (ChannelRegistration* already = channel.registration()) {
        if (!already->owner().isCurrent()) return Errc::alreadyRegistered;
        return replace(static_cast<Registration&>(*already), served, interest);
    }
    Result<Registration*> entered = enter(served, interest);
    if (!entered) return entered.error();
    return welcome(*entered.value());
} catch (const std::bad_alloc&) {
    return std::errc::not_enough_memory;
}

Result<ChannelHandle> SelectorThread::welcome(Registration& registration) {
    const ChannelHandle handle = handleOf(registration.channel());
    barrier_.tell(registration, "handleRegistered", &SelectorHandler::handleRegistered);
    if (drain_ && registration.isValid()) {
        barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain, *drain_);
    }
    return handle;
}

Result<Registration*> SelectorThread::enter(Registration::Served served, Interest interest,
                                            std::optional<std::uint32_t> slot) {
    auto registration = std::make_unique<Registration>(context_, served, interest);
    slot ? registry_.comeBack(*slot, *registration) : registry_.add(*registration);
    struct Undo {
        Registry* registry;
        Registration& registration;
        bool leaves;
        ~Undo() {
            if (registry == nullptr) return;
            leaves ? registry->leave(registration) : registry->remove(registration);
        }
    } undo{&registry_, *registration, slot.has_value()};
    if (Result<void> added = selector_->add(*registration); !added) return added.error();
    undo.registry = nullptr;
    registration->ownsHandler = true;
    served.handler->channel().attach(*registration);
    takeOver(*served.handler);
    countConnection(served.handler->countsAsConnection(), +1);
    countAwaited(*served.handler, +1);
    return registration.release();
}

Result<ChannelHandle> SelectorThread::replace(Registration& registration,
                                              Registration::Served served, Interest interest) {
    SelectorHandler& before = registration.handler();
    if (&before != served.handler) replaced_.emplace_back(&before);
    memory_.forget(registration.slot);
    countConnection(before.countsAsConnection(), -1);
    countConnection(served.handler->countsAsConnection(), +1);
    countAwaited(before, -1);
    countAwaited(*served.handler, +1);
    registration.serve(served);
    served.handler->dispatcher_ = this;
    registration.setInterest(interest);
    return welcome(registration);
}

void SelectorThread::countConnection(bool counts, int by) {
    if (counts) connections_.fetch_add(static_cast<std::size_t>(by), std::memory_order_relaxed);
}

SelectorHandler* SelectorThread::findNow(ChannelHandle handle) {
    identity_.assertCurrent("findNow");
    Registration* found = handle.dispatcher() == this
                              ? registry_.find(handle.slot(), handle.generation())
                              : moves_.guest(handle);
    return found == nullptr ? nullptr : &found->handler();
}

ChannelHandle SelectorThread::handleOf(SelectableChannel& channel) {
    const Registration* registration = registrationOf(channel, "handleOf");
    if (registration != nullptr) return handleOf(*registration);
    const Closing* closing = closing_;
    while (closing != nullptr && closing->channel != &channel) closing = closing->outer;
    return closing == nullptr ? ChannelHandle() : closing->handle;
}

ChannelHandle SelectorThread::handleOf(const Registration& registration) {
    if (registration.travels) return moves_.handleOf(registration);
    return {*this, registration.slot, registry_.generationOf(registration.slot)};
}

void SelectorThread::ended(Registration& registration) {
    // Inside handleClosed it is still known by its handle, though that finds nobody any more.
    const Closing closing{&registration.channel(), handleOf(registration), closing_};
    closing_ = &closing;
    const struct Restore {  // a forced unwind may leave handleClosed
        const Closing*& at;
        const Closing* outer;
        ~Restore() { at = outer; }
    } restore{closing_, closing.outer};
    registration.nextGrave = std::exchange(graves_, &registration);
    const SelectorHandler& handler = registration.handler();
    countConnection(handler.countsAsConnection(), -1);
    countAwaited(handler, -1);
    memory_.forget(registration.slot);
    registration.travels ? moves_.ended(registration) : registry_.remove(registration);
    const bool isReported = drain_ && handler.countsAsConnection();
    if (isReported) report_.add(handler.remains(), registration.aborted);
    barrier_.tell(registration, "handleClosed", &SelectorHandler::handleClosed);
}

bool SelectorThread::addChannelInterestLater(ChannelHandle handle, Interest added,
                                             CallbackErrorHandler onError) {
    return changeInterestLater(handle, &SelectorThread::addChannelInterestNow, added,
                               std::move(onError));
}

bool SelectorThread::removeChannelInterestLater(ChannelHandle handle, Interest removed,
                                                CallbackErrorHandler onError) {
    return changeInterestLater(handle, &SelectorThread::removeChannelInterestNow, removed,
                               std::move(onError));
}

bool SelectorThread::changeInterestLater(ChannelHandle handle, InterestChange change,
                                         Interest interest, CallbackErrorHandler onError) {
    SelectorThread& home = homeOf(handle);
    auto changeIt = [change, interest, onError = std::move(onError)](
                        SelectorThread& thread, SelectorHandler* handler) mutable {
        if (handler != nullptr) return (thread.*change)(handler->channel(), interest);
        if (onError) onError(Errc::notRegistered);
    };
    return home.invokeLater([&home, handle, changeIt = std::move(changeIt)]() mutable {
        onDispatcher.assertCurrent();
        SelectorHandler* here = home.findNow(handle);
        here != nullptr ? changeIt(home, here) : home.moves_.forward(handle, std::move(changeIt));
    });
}

void SelectorThread::flushLater(SelectableChannel& channel) {
    if (Registration* registration = registrationOf(channel, "flushLater")) {
        if (!registration->travels || !moves_.flushesThere(*registration)) {
            flush_.add(*registration);
        }
    }
}

void SelectorThread::revisitLater(SelectableChannel& channel) {
    if (Registration* registration = registrationOf(channel, "revisitLater")) {
        if (!registration->travels || !moves_.revisitsThere(*registration)) {
            revisit_.add(*registration);
        }
    }
}

void SelectorThread::deliverIdle(SelectorHandler& handler) {
    Registration* registration = registrationOf(handler.channel(), "deliverIdle");
    if (registration == nullptr) return;
    barrier_.tell(*registration, "handleIdle", &SelectorHandler::handleIdle);
}

// --- migration: see ChannelMoves.cpp for what happens on the way ----------------------------

Result<void> SelectorThread::moveChannelNow(SelectableChannel& channel, SelectorThread& target,
                                            CallbackErrorHandler onError) {
    Registration* registration = registrationOf(channel, "moveChannelNow");
    if (registration == nullptr) return Errc::notRegistered;
    auto* handler = registration->handler().asMovable();
    if (handler == nullptr || !handler->isMovable()) return Errc::notMovable;
    if (drain_ || !target.takesConnections()) return Errc::stopped;
    return moves_.request(*registration, {&target, target.queue_}, std::move(onError));
}

bool SelectorThread::moveChannelLater(ChannelHandle handle, SelectorThread& target,
                                      CallbackErrorHandler onError) {
    SelectorThread& home = homeOf(handle);
    ChannelMoves::Request request{handle, {&target, target.queue_}, std::move(onError)};
    return home.invokeLater([&home, request = std::move(request)]() mutable {
        onDispatcher.assertCurrent();
        home.moves_.begin(std::move(request));
    });
}

std::vector<SelectorThread::Activity> SelectorThread::takeActivities() {
    identity_.assertCurrent("takeActivities");
    std::vector<Activity> activities;
    activities.reserve(registry_.size());
    for (Registration* each : registry_.snapshot()) {
        const auto* handler = each->handler().asMovable();
        const bool isMovable = handler != nullptr && handler->isMovable();
        activities.push_back({&each->channel(), each->takeTimesReady(), isMovable});
    }
    return activities;
}

// --- the memory budget: see MemoryAccount.cpp for what is due when ---------------------------

void SelectorThread::countBuffered(SelectableChannel& channel, std::size_t bytes, bool evictFirst) {
    Registration* registration = registrationOf(channel, "countBuffered");
    if (registration != nullptr) memory_.set(registration->slot, bytes, evictFirst);
}

// Runs between two callbacks: none is on the stack.
struct SelectorThread::MemoryRelief {
    SelectorThread& thread;

    void act() NIO_REQUIRES(onDispatcher) {
        MemoryAccount& memory = thread.memory_;
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
            thread.memory_.countDropped(bytes, [worst] { return worst->handler().name(); });
        } else {
            thread.memory_.forget(slot);
        }
    }
};

// Runs between two callbacks, so no handler is to blame for what it throws.
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
