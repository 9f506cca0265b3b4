#include <nio/loop/ChannelMoves.h>

#include <algorithm>
#include <optional>
#include <typeinfo>

#include <nio/base/Log.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

namespace {

MovableHandler& movable(Registration& registration) {
    MovableHandler* const handler = registration.handler().asMovable();
    if (handler == nullptr) throw std::bad_cast();
    return *handler;
}

NIO_REQUIRES(onDispatcher) bool isStillMovable(Registration& registration) {
    bool movableNow = false;
    guarded(
        [&] {
            onDispatcher.assertCurrent();
            movableNow = movable(registration).isMovable();
        },
        [](const std::exception_ptr&) {});
    return movableNow;
}

}  // namespace

// At home; `room` while it waits there until the channel has arrived.
struct ChannelMoves::Begin {
    ChannelMoves& moves;
    Request request;
    std::optional<QueueRoom> room{};

    void operator()() {
        onDispatcher.assertCurrent();
        moves.begin(std::move(request));
    }
};

// At the place where the channel is.
struct ChannelMoves::BeginDeparture {
    SelectorThread* thread;
    Request request;

    void operator()() {
        onDispatcher.assertCurrent();
        ChannelMoves& moves = thread->moves();
        Registration* guest = moves.places_.find(request.handle);
        if (guest != nullptr) return moves.depart(*guest, std::move(request));
        moves.tell(request.onError, Errc::notRegistered);
    }
};

struct ChannelMoves::Arrival {
    SelectorThread* thread;
    Traveller traveller;

    void operator()() {
        onDispatcher.assertCurrent();
        thread->moves().arrive(std::move(traveller));
    }
};

// What it throws is a task's failure; whatever is under way here goes on.
void ChannelMoves::tell(CallbackErrorHandler& onError, const Error& error) {
    guarded(
        [&] {
            if (onError) onError(error);
        },
        [this](const std::exception_ptr& thrown) { barrier_.report("task", "onError", thrown); });
}

// --- at home --------------------------------------------------------------------------------

void ChannelMoves::begin(Request request) {
    const ChannelHandle handle = request.handle;
    Registration* here = places_.isHome(handle) ? places_.find(handle) : nullptr;
    if (here != nullptr) return depart(*here, std::move(request));
    ChannelPlaces::Away* away = places_.away(handle);
    if (away == nullptr) return tell(request.onError, Errc::notRegistered);
    if (away->place.thread == nullptr) return holdBack(*away, std::move(request));
    if (away->place.thread == request.target.thread) return;
    BeginDeparture task{away->place.thread, std::move(request)};
    const Result<void> asked = away->place.queue->pushOrRefuse(std::move(task));
    if (!asked) return tell(task.request.onError, asked.error());
    away->place = {};
}

void ChannelMoves::holdBack(ChannelPlaces::Away& away, Request request) {
    Begin held{*this, std::move(request), QueueRoom(thread_.queue())};
    try {
        away.held.emplace_back(std::move(held));
    } catch (const std::bad_alloc&) {
        // It was not moved from.
        tell(held.request.onError, std::errc::not_enough_memory);
    }
}

// --- where the channel is -------------------------------------------------------------------

Result<void> ChannelMoves::moveNow(SelectableChannel& channel, SelectorThread& target,
                                   CallbackErrorHandler onError) {
    Registration* registration = thread_.registry().of(channel, "moveNow");
    if (registration == nullptr) return Errc::notRegistered;
    auto* handler = registration->handler().asMovable();
    if (handler == nullptr || !handler->isMovable()) return Errc::notMovable;
    if (thread_.draining().options() || !target.queue()->takesConnections()) return Errc::stopped;
    if (isLeaving(*registration)) return Errc::notMovable;
    const ChannelHandle handle = thread_.handleOf(channel);
    const auto& home = places_.homeOf(handle);
    return home->pushOrRefuse(Begin{handle.dispatcher()->moves(),
                                    {handle, {&target, target.queue()}, std::move(onError)}});
}

bool ChannelMoves::moveLater(ChannelHandle handle, SelectorThread& target,
                             CallbackErrorHandler onError) {
    SelectorThread& home = handle.dispatcherOr(thread_);
    return home.invokeLater(
        Begin{home.moves(), {handle, {&target, target.queue()}, std::move(onError)}});
}

void ChannelMoves::depart(Registration& registration, Request request) {
    const ChannelHandle handle = request.handle;
    if (request.target.thread == &thread_) return places_.stays(handle);
    ChannelPlaces::Guests guest;
    Result<void> goes = prepare(handle, guest);
    if (goes) goes = tellLeaving(registration, *request.target.queue);
    if (!goes) {
        places_.stays(handle);
        return tell(request.onError, goes.error());
    }
    departures_.push_back(packed(registration, std::move(request), std::move(guest)));
    if (letGo(registration)) return;
    Traveller& traveller = departures_.back().traveller;
    traveller.interest = traveller.interest | registration.interest();
    // Nothing of it is to be called from now on. Its selector may still add to it what it sent for
    // it, and could not.
    registration.setInterest(Interest::none);
}

Result<void> ChannelMoves::prepare(ChannelHandle handle, ChannelPlaces::Guests& guest) {
    try {
        if (departures_.size() == departures_.capacity()) {
            departures_.reserve(2 * departures_.size() + 1);
        }
        places_.prepareToLeave(handle, guest);
        return {};
    } catch (const std::bad_alloc&) {
        return std::errc::not_enough_memory;
    }
}

Result<void> ChannelMoves::tellLeaving(Registration& registration, const TaskQueue& target) {
    if (thread_.draining().options() || !target.takesConnections()) return Errc::stopped;
    SelectorHandler* const handler = &registration.handler();
    auto* const leaver = registration.isBroken() ? nullptr : handler->asMovable();
    if (leaver == nullptr) return Errc::notMovable;
    // Another handler that was put in its place was not asked.
    const auto isSame = [&] {
        return registration.isValid() && &registration.handler() == handler;
    };
    bool threw = true;
    bool left = false;
    bool goes = false;
    barrier_.guard(registration, "leaving", [&] {
        onDispatcher.assertCurrent();
        left = leaver->isMovable();
        if (left) leaver->leaving();
        goes = left && isSame() && leaver->isMovable();
        threw = false;
    });
    if (threw) return Errc::handlerFailed;
    if (!registration.isValid()) return Errc::notRegistered;
    if (goes) return {};
    if (left && isSame() && !tellArrived(registration)) return Errc::handlerFailed;
    return Errc::notMovable;
}

// With what it brings along from elsewhere.
bool ChannelMoves::tellArrived(Registration& registration, const Traveller* traveller) {
    bool threw = true;
    barrier_.guard(registration, "arrived", [&] {
        onDispatcher.assertCurrent();
        if (traveller != nullptr) {
            registration.setInterest(traveller->interest | registration.interest());
            thread_.registry().addVisits(registration, traveller->visits);
        }
        movable(registration).arrived();
        threw = false;
    });
    return !threw;
}

ChannelMoves::Departure ChannelMoves::packed(Registration& registration, Request request,
                                             ChannelPlaces::Guests guest) {
    if (places_.isHome(request.handle)) {
        thread_.registry().table().leave(registration);
    } else {
        // Nobody looks for it any more, to tell it of the budget either.
        thread_.memory().forget(registration.slot);
    }
    places_.leaves(request.handle, guest);
    Departure departure{&registration,
                        std::move(request.target),
                        {std::move(guest), registration.served(), registration.interest(),
                         thread_.registry().takeVisits(registration), std::move(request.onError)}};
    registration.travels = true;
    return departure;
}

ChannelMoves::Departures::iterator ChannelMoves::departureOf(const Registration& registration) {
    return std::find_if(departures_.begin(), departures_.end(), [&](const Departure& departure) {
        return departure.registration == &registration;
    });
}

ChannelHandle ChannelMoves::handleOf(const Registration& registration) {
    const auto leaver = departureOf(registration);
    return leaver != departures_.end() ? leaver->traveller.handle()
                                       : places_.handleOf(registration);
}

// Another handler that took its place stays, and is watched for here.
ChannelMoves::Traveller* ChannelMoves::travellerOf(Registration& registration) {
    const auto leaver = departureOf(registration);
    const bool goes =
        leaver != departures_.end() && leaver->traveller.isServedBy(registration.handler());
    return goes ? &leaver->traveller : nullptr;
}

Interest* ChannelMoves::interestThere(Registration& registration) {
    Traveller* const traveller = travellerOf(registration);
    return traveller == nullptr ? nullptr : &traveller->interest;
}

Registry::Visits* ChannelMoves::visitsThere(const Registration& registration) {
    const auto leaver = departureOf(registration);
    return leaver == departures_.end() ? nullptr : &leaver->traveller.visits;
}

// One that waits may be told to end by others, who keep a pointer to it, and they may put another
// handler in its place, which was not told that it leaves. When it is asked it may do so itself.
bool ChannelMoves::letGo(Registration& registration) {
    const bool wants = travellerOf(registration) != nullptr && isStillMovable(registration);
    if (!isLeaving(registration)) return true;
    if (!wants || travellerOf(registration) == nullptr) {
        comeBack(taken(registration), Errc::notMovable);
        return true;
    }
    if (!thread_.registry().release(registration)) return false;
    send(taken(registration));
    return true;
}

ChannelMoves::Departure ChannelMoves::taken(const Registration& registration) {
    const auto leaver = departureOf(registration);
    Departure departure = std::move(*leaver);
    departures_.erase(leaver);
    return departure;
}

// From here to the push nothing may fail: it belongs to nobody.
void ChannelMoves::send(Departure departure) {
    Registration& left = *departure.registration;
    SelectorHandler& handler = left.handler();
    const ChannelHandle handle = departure.traveller.handle();
    Arrival arrival{departure.target.thread, std::move(departure.traveller)};
    arrival.traveller.served = left.served();
    arrival.traveller.handler.reset(&handler);
    arrival.traveller.interest = arrival.traveller.interest | left.interest();
    thread_.registry().leave(left);
    if (!places_.isHome(handle)) places_.freeSlot(left);
    const Result<void> sent = departure.target.queue->pushOrRefuse(std::move(arrival));
    if (sent) return places_.hasLeft(handle);
    // Refused: it was not moved from.
    CallbackErrorHandler onError = std::move(arrival.traveller.onError);
    arrive(std::move(arrival.traveller));
    tell(onError, sent.error());
}

void ChannelMoves::askAgain() {
    for (std::size_t i = 0; i < departures_.size();) {
        Registration* const asked = departures_[i].registration;
        const bool gone = letGo(*asked) || i >= departures_.size();
        if (!gone && departures_[i].registration == asked) ++i;
    }
    places_.tellOwed();
}

void ChannelMoves::callBack() {
    while (!departures_.empty()) comeBack(taken(*departures_.back().registration), Errc::stopped);
}

void ChannelMoves::comeBack(Departure departure, Errc reason) {
    Registration& registration = *departure.registration;
    const ChannelHandle handle = departure.traveller.handle();
    if (places_.isHome(handle)) {
        thread_.registry().table().comeBack(handle.slot(), registration);
    }
    CallbackErrorHandler onError = std::move(departure.traveller.onError);
    welcome(registration, std::move(departure.traveller));
    tell(onError, reason);
}

// --- where it arrives -----------------------------------------------------------------------

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
    std::optional<std::uint32_t> slot;
    try {
        if (places_.isHome(handle)) {
            slot = handle.slot();
        } else {
            places_.prepareToArrive(traveller.guest);
        }
        return thread_.registry().enter(traveller.served, traveller.interest, slot);
    } catch (const std::bad_alloc&) {
        return std::errc::not_enough_memory;
    }
}

void ChannelMoves::welcome(Registration& registration, Traveller traveller) {
    const bool isHome = places_.isHome(traveller.handle());
    registration.travels = !isHome;
    std::vector<Task> held;
    if (isHome) {
        held = places_.cameBack(traveller.handle());
    } else {
        places_.arrived(registration, std::move(traveller.guest));
    }
    if (!traveller.isServedBy(registration.handler())) {
        barrier_.guard(registration, "arrived", [&] {
            onDispatcher.assertCurrent();
            thread_.registry().addVisits(registration, traveller.visits);
        });
    } else if (!tellArrived(registration, &traveller)) {
        tell(traveller.onError, Errc::handlerFailed);
    }
    thread_.draining().tell(registration);
    for (Task& task : held) barrier_.run(task);
}

// It cannot be registered here: it is of no further use.
void ChannelMoves::strand(Traveller traveller, const Error& error) {
    SelectorHandler& handler = *traveller.handler;
    thread_.registry().takeOver(handler);
    thread_.draining().connectionEnded(handler, false);
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
        [this](const auto& thrown) { barrier_.report("moved handler", "lost", thrown); });
    tell(traveller.onError, error);
    const ChannelHandle handle = traveller.handle();
    places_.isHome(handle) ? places_.ended(handle) : places_.farewell(std::move(traveller.guest));
}

// Inside a close: nothing here may fail.
void ChannelMoves::ended(Registration& registration) {
    const auto leaver = departureOf(registration);
    const bool leaves = leaver != departures_.end();
    ChannelPlaces::Guests guest;
    CallbackErrorHandler onError;
    if (leaves) {
        guest = std::move(leaver->traveller.guest);
        onError = std::move(leaver->traveller.onError);
        departures_.erase(leaver);
    } else {
        guest = places_.taken(registration);
        if (guest.empty()) return thread_.registry().table().remove(registration);
    }
    // Its slot at home is freed by the news, by way of the queue: what is held may be anything.
    if (!places_.isHome(guest.front().handle)) places_.freeSlot(registration);
    places_.farewell(std::move(guest));
    if (leaves) tell(onError, Errc::notRegistered);
}

}  // namespace nio
