#include <nio/loop/Registry.h>

#include <new>

#include <nio/loop/SelectorThread.h>

namespace nio {

// --- registration ---------------------------------------------------------------------------

Result<Registration*> Registry::add(Registration::Served served, Interest interest) try {
    SelectableChannel& channel = served.handler->channel();
    const bool listens = served.kind == Registration::Kind::accept;
    if (closed_ || (listens && thread_.draining().options())) return Errc::stopped;
    if (!channel.isOpen()) return std::errc::bad_file_descriptor;
    if (any(interest - served.servable())) return std::errc::invalid_argument;
    if (ChannelRegistration* already = channel.registration()) {
        if (!already->owner().isCurrent()) return Errc::alreadyRegistered;
        Registration& registration = static_cast<Registration&>(*already);
        replace(registration, served, interest);
        return &registration;
    }
    return enter(served, interest);
} catch (const std::bad_alloc&) {
    return std::errc::not_enough_memory;
}

ChannelHandle Registry::welcome(Registration& registration) {
    const ChannelHandle handle = handleOf(registration.channel());
    barrier_.tell(registration, "handleRegistered", &SelectorHandler::handleRegistered);
    thread_.draining().tell(registration);
    return handle;
}

Result<Registration*> Registry::enter(Registration::Served served, Interest interest,
                                      std::optional<std::uint32_t> slot) {
    auto registration = std::make_unique<Registration>(context_, served, interest);
    slot ? slots_.comeBack(*slot, *registration) : slots_.add(*registration);
    struct Undo {
        SlotTable* slots;
        Registration& registration;
        bool leaves;
        ~Undo() {
            if (slots == nullptr) return;
            leaves ? slots->leave(registration) : slots->remove(registration);
        }
    } undo{&slots_, *registration, slot.has_value()};
    if (Result<void> added = selector_.add(*registration); !added) return added.error();
    undo.slots = nullptr;
    registration->ownsHandler = true;
    served.handler->channel().attach(*registration);
    takeOver(*served.handler);
    count(*served.handler, +1);
    return registration.release();
}

void Registry::replace(Registration& registration, Registration::Served served, Interest interest) {
    SelectorHandler& before = registration.handler();
    if (&before != served.handler) replaced_.emplace_back(&before);
    thread_.memory().forget(registration.slot);
    count(before, -1);
    count(*served.handler, +1);
    registration.serve(served);
    takeOver(*served.handler);
    registration.setInterest(interest);
}

void Registry::count(const SelectorHandler& handler, int by) {
    expectConnection(handler.countsAsConnection(), by);
    if (handler.holdsUpDrain()) awaited_ += static_cast<std::size_t>(by);
}

SelectorHandler* Registry::find(ChannelHandle handle) {
    context_.owner.assertCurrent("findNow");
    Registration* found = handle.dispatcher() == &thread_
                              ? slots_.find(handle.slot(), handle.generation())
                              : thread_.moves().places().find(handle);
    return found == nullptr ? nullptr : &found->handler();
}

ChannelHandle Registry::handleOf(const SelectableChannel& channel) {
    const Registration* registration = of(channel, "handleOf");
    if (registration != nullptr) return handleOf(*registration);
    const Closing* closing = closing_;
    while (closing != nullptr && closing->channel != &channel) closing = closing->outer;
    return closing == nullptr ? ChannelHandle() : closing->handle;
}

ChannelHandle Registry::handleOf(const Registration& registration) {
    if (registration.travels) return thread_.moves().handleOf(registration);
    return {thread_, registration.slot, slots_.generationOf(registration.slot)};
}

Interest* Registry::askForInterestThere(Registration& registration) {
    return thread_.moves().interestThere(registration);
}

std::vector<Registry::Activity> Registry::takeActivities() {
    context_.owner.assertCurrent("takeActivities");
    std::vector<Activity> activities;
    activities.reserve(slots_.size());
    for (Registration* each : slots_.snapshot()) {
        const auto* handler = each->handler().asMovable();
        const bool isMovable = handler != nullptr && handler->isMovable();
        activities.push_back({&each->channel(), each->takeTimesReady(), isMovable});
    }
    return activities;
}

// --- visits ---------------------------------------------------------------------------------

void Registry::flushLater(SelectableChannel& channel) {
    Registration* registration = of(channel, "flushLater");
    if (registration == nullptr) return;
    if (Visits* there = visitsThere(*registration)) return static_cast<void>(there->flushes = true);
    flush_.add(*registration);
}

void Registry::revisitLater(SelectableChannel& channel) {
    Registration* registration = of(channel, "revisitLater");
    if (registration == nullptr) return;
    if (Visits* there = visitsThere(*registration)) {
        return static_cast<void>(there->revisits = true);
    }
    revisit_.add(*registration);
}

// Null: it does not leave.
Registry::Visits* Registry::visitsThere(const Registration& registration) {
    return registration.travels ? thread_.moves().visitsThere(registration) : nullptr;
}

Registry::Visits Registry::takeVisits(Registration& registration) {
    const Visits visits{registration.flushQueued, registration.revisitQueued};
    flush_.forget(registration);
    revisit_.forget(registration);
    registration.flushQueued = registration.revisitQueued = false;
    return visits;
}

void Registry::addVisits(Registration& registration, Visits visits) {
    if (visits.flushes) flush_.add(registration);
    if (visits.revisits) revisit_.add(registration);
}

// --- the memory budget: see MemoryAccount.cpp for what is due when ---------------------------

// No handler is to blame for what it throws.
void Registry::relieveMemory() {
    guarded(
        [this] {
            onDispatcher.assertCurrent();
            MemoryAccount& memory = thread_.memory();
            for (std::size_t left = memory.options().maxDropsAtOnce; left > 0; --left) {
                if (!memory.mustDrop()) break;
                evictWorst();
                memory.look();
            }
            if (memory.takePausingChanged()) tellPressure();
            memory.relieved();
        },
        [this](const std::exception_ptr& thrown) {
            barrier_.report("memory budget", "relieve", thrown);
        });
}

Registration* Registry::holderIn(std::uint32_t slot) {
    Registration* found = slots_.find(slot, slots_.generationOf(slot));
    return found != nullptr && found->isValid() ? found : nullptr;
}

void Registry::tellPressure() {
    const BufferLedger& ledger = thread_.memory().ledger();
    for (std::uint32_t slot = 0; slot < ledger.size(); ++slot) {
        Registration* holder = ledger.held(slot) > 0 ? holderIn(slot) : nullptr;
        if (holder == nullptr) continue;
        barrier_.call(*holder, "handlePressure", &SelectorHandler::handlePressure);
    }
}

void Registry::evictWorst() {
    MemoryAccount& memory = thread_.memory();
    const std::uint32_t slot = memory.ledger().worst();
    if (Registration* worst = holderIn(slot)) {
        const std::size_t bytes = memory.ledger().held(slot);
        barrier_.call(*worst, "handleOverload", &SelectorHandler::handleOverload);
        worst->handler().channel().close();
        memory.countDropped(bytes, [worst] { return worst->handler().name(); });
    } else {
        memory.forget(slot);
    }
}

// --- the end --------------------------------------------------------------------------------

void Registry::ended(Registration& registration) {
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
    count(handler, -1);
    thread_.memory().forget(registration.slot);
    registration.travels ? thread_.moves().ended(registration) : slots_.remove(registration);
    if (handler.countsAsConnection()) {
        thread_.draining().connectionEnded(handler, registration.aborted);
    }
    barrier_.tell(registration, "handleClosed", &SelectorHandler::handleClosed);
}

void Registry::leave(Registration& registration) {
    SelectorHandler& handler = registration.handler();
    registration.ownsHandler = false;
    handler.channel().detach();
    count(handler, -1);
    thread_.memory().forget(registration.slot);
    registration.nextGrave = std::exchange(graves_, &registration);
}

// A handler's destructor may close other channels: those are buried at the same time.
void Registry::bury() {
    while (hasGraves()) {
        std::vector<std::unique_ptr<SelectorHandler>>().swap(replaced_);
        while (graves_ != nullptr) {
            Registration* grave = std::exchange(graves_, graves_->nextGrave);
            flush_.forget(*grave);
            revisit_.forget(*grave);
            delete grave;
        }
    }
}

void Registry::startOver() {
    thread_.moves().callBack();
    selector_.startOver().orThrow();
    slots_.visitAll([this](Registration& registration) {
        onDispatcher.assertCurrent();
        selector_.watchAgain(registration);
    });
    forks_ = kernel::forkCount();
}

}  // namespace nio
