// The part of ChannelMoves at the new place of a channel, and its end there. How it leaves its old
// place, and what its home does, is in ChannelMoves.cpp.
#include <algorithm>

#include <nio/base/Log.h>
#include <nio/loop/ChannelMoves.h>
#include <nio/loop/SelectorHandlers.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

Registration* ChannelMoves::guest(ChannelHandle handle) const {
    const auto found = byHandle_.find(handle);
    const bool isHere = found != byHandle_.end() && !found->second->leaves;
    return isHere ? found->second->registration : nullptr;
}

ChannelMoves::Departures::iterator ChannelMoves::departureOf(const Registration& registration) {
    return std::find_if(departures_.begin(), departures_.end(), [&](const Departure& departure) {
        return departure.registration == &registration;
    });
}

ChannelHandle ChannelMoves::handleOf(const Registration& registration) {
    const auto leaver = departureOf(registration);
    if (leaver != departures_.end()) return leaver->traveller.handle();
    const bool has = registration.slot < handles_.size();
    const bool isIts = has && guest(handles_[registration.slot]) == &registration;
    return isIts ? handles_[registration.slot] : ChannelHandle();
}

// Also on a dispatcher that is about to stop and runs what is left: its abort ends the connection
// in the same way as all others.
void ChannelMoves::arrive(Traveller traveller) {
    Result<Registration*> entered = enter(traveller);
    if (!entered) return strand(std::move(traveller), entered.error());
    traveller.handler.release();
    welcome(*entered.value(), std::move(traveller));
}

// Once it is registered nothing needs memory any more.
Result<Registration*> ChannelMoves::enter(Traveller& traveller) {
    const ChannelHandle handle = traveller.handle();
    const bool comesHome = isHome(handle);
    try {
        if (!comesHome) {
            byHandle_.insert_or_assign(handle, traveller.guest.begin());
            const std::size_t slots = thread_.registry_.slotCount() + 1;
            if (handles_.size() < slots) handles_.resize(2 * slots);
        }
        std::optional<std::uint32_t> slot;
        if (comesHome) slot = handle.slot();
        Result<Registration*> entered = thread_.enter(traveller.served, traveller.interest, slot);
        if (entered && !comesHome) handles_[entered.value()->slot] = handle;
        return entered;
    } catch (const std::bad_alloc&) {
        return std::errc::not_enough_memory;
    }
}

void ChannelMoves::welcome(Registration& registration, Traveller traveller) {
    const ChannelHandle handle = traveller.handle();
    registration.travels = !isHome(handle);
    std::vector<Task> held;
    if (isHome(handle)) {
        held = std::move(away_.extract(handle.slot()).mapped().held);
    } else {
        Guest& guest = traveller.guest.front();
        guest.registration = &registration;
        guest.leaves = false;
        guests_.splice(guests_.begin(), traveller.guest);
        tellHome(guests_.begin());
    }
    const bool isSame = traveller.isServedBy(registration.handler());
    if (!isSame) {
        thread_.barrier_.guard(registration, "arrived", [&] {
            onDispatcher.assertCurrent();
            queueVisits(registration, traveller);
        });
    }
    if (isSame && !tellArrived(registration, &traveller)) {
        tell(traveller.onError, Errc::handlerFailed);
    }
    if (thread_.drain_ && registration.isValid()) {
        thread_.barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain,
                              *thread_.drain_);
    }
    for (Task& task : held) thread_.runTask(task);
}

// It cannot be registered here: it is of no further use.
void ChannelMoves::strand(Traveller traveller, const Error& error) {
    SelectorHandler& handler = *traveller.handler;
    thread_.takeOver(handler);
    if (thread_.drain_) thread_.report_.add(handler.remains(), false);
    handler.channel().close();
    try {
        log(LogLevel::warning, "connection lost while migrating: " + error.message());
    } catch (const std::bad_alloc&) {
        log(LogLevel::warning, "connection lost while migrating: out of memory");
    }
    guarded(
        [&] {
            onDispatcher.assertCurrent();
            handler.asMovable()->lost(error);
        },
        [this](const std::exception_ptr& thrown) {
            thread_.barrier_.report("moved handler", "lost", thrown);
        });
    tell(traveller.onError, error);
    const ChannelHandle handle = traveller.handle();
    isHome(handle) ? heardOfEnd(handle) : farewell(std::move(traveller.guest));
}

// --- the end --------------------------------------------------------------------------------

// Inside a close: nothing here may fail.
void ChannelMoves::ended(Registration& registration) {
    const auto leaver = departureOf(registration);
    const bool leaves = leaver != departures_.end();
    Guests guest;
    CallbackErrorHandler onError;
    if (leaves) {
        guest = std::move(leaver->traveller.guest);
        onError = std::move(leaver->traveller.onError);
        departures_.erase(leaver);
    } else {
        const auto found = byHandle_.find(handleOf(registration));
        if (found == byHandle_.end()) return thread_.registry_.remove(registration);
        guest.splice(guest.begin(), guests_, found->second);
    }
    // Its slot at home is freed by the news, by way of the queue: what is held may be anything.
    if (!isHome(guest.front().handle)) {
        handles_[registration.slot] = {};
        thread_.registry_.remove(registration);
    }
    farewell(std::move(guest));
    if (leaves) tell(onError, Errc::notRegistered);
}

void ChannelMoves::farewell(Guests guest) {
    guest.front().registration = nullptr;
    guest.front().closed = true;
    byHandle_.erase(guest.front().handle);
    guests_.splice(guests_.begin(), guest);
    tellHome(guests_.begin());
}

// A home that has stopped refuses, and has nobody to pass anything on for. One that cannot be told
// for want of memory is told later.
void ChannelMoves::tellHome(Guests::iterator guest) {
    if (std::exchange(guest->newsOwed, false)) --newsOwed_;
    auto news = [handle = guest->handle, closed = guest->closed,
                 here = Place{&thread_, thread_.queue_}]() mutable {
        onDispatcher.assertCurrent();
        ChannelMoves& moves = handle.dispatcher()->moves();
        closed ? moves.heardOfEnd(handle) : moves.heardOf(handle, std::move(here));
    };
    const Result<void> told = guest->home->pushOrRefuse(std::move(news));
    if (!told && told.error().is(std::errc::not_enough_memory)) {
        guest->newsOwed = true;
        ++newsOwed_;
        return;
    }
    if (guest->closed) guests_.erase(guest);
}

}  // namespace nio
