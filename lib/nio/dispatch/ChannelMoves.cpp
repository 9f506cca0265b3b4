#include <nio/dispatch/ChannelMoves.h>

#include <algorithm>

#include <nio/base/Log.h>
#include <nio/dispatch/MovableHandler.h>
#include <nio/dispatch/SelectorThread.h>

namespace nio {

namespace {

MovableHandler* movable(Registration& registration) {
    return dynamic_cast<MovableHandler*>(&registration.handler());
}

}  // namespace

// At home.
struct ChannelMoves::Begin {
    Request request;

    void operator()() {
        onDispatcher.assertCurrent();
        request.handle.dispatcher()->moves().begin(std::move(request));
    }
};

struct ChannelMoves::Forward {
    SelectorThread* thread;
    ChannelHandle handle;
    HandlerTask task;

    void operator()() {
        onDispatcher.assertCurrent();
        task(*thread, thread->findNow(handle));
    }
};

// At the place where the channel is.
struct ChannelMoves::BeginDeparture {
    SelectorThread* thread;
    Request request;

    void operator()() {
        onDispatcher.assertCurrent();
        ChannelMoves& moves = thread->moves();
        Registration* guest = moves.guest(request.handle);
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
void ChannelMoves::tell(CallbackErrorHandler& onError, const Error& error) noexcept {
    try {
        if (onError) onError(error);
    } catch (...) {
        thread_.barrier_.report("task", "onError");
    }
}

// --- at home --------------------------------------------------------------------------------

ChannelMoves::Away* ChannelMoves::find(ChannelHandle handle) {
    if (!isHome(handle)) return nullptr;
    const auto away = away_.find(handle.slot());
    if (away == away_.end()) return nullptr;
    const bool same = thread_.registry_.generationOf(handle.slot()) == handle.generation();
    return same ? &away->second : nullptr;
}

void ChannelMoves::begin(Request request) {
    const ChannelHandle handle = request.handle;
    Registration* here =
        isHome(handle) ? thread_.registry_.find(handle.slot(), handle.generation()) : nullptr;
    if (here != nullptr) return depart(*here, std::move(request));
    Away* away = find(handle);
    if (away == nullptr) return tell(request.onError, Errc::notRegistered);
    if (away->place.thread == nullptr) {
        away->held.emplace_back([this, request = std::move(request)]() mutable {
            onDispatcher.assertCurrent();
            begin(std::move(request));
        });
        return;
    }
    if (away->place.thread == request.target.thread) return;
    BeginDeparture task{away->place.thread, std::move(request)};
    if (away->place.queue->push(std::move(task), TaskQueue::Post::exempt)) {
        away->place = {};
        return;
    }
    tell(task.request.onError, Errc::stopped);
}

void ChannelMoves::forward(ChannelHandle handle, HandlerTask task) {
    Away* away = find(handle);
    if (away == nullptr) return task(thread_, nullptr);
    if (away->place.thread == nullptr) {
        away->held.emplace_back([this, handle, task = std::move(task)]() mutable {
            onDispatcher.assertCurrent();
            SelectorHandler* here = thread_.findNow(handle);
            here != nullptr ? task(thread_, here) : forward(handle, std::move(task));
        });
        return;
    }
    // It was accepted here already. A place that has stopped has closed the channel.
    Forward there{away->place.thread, handle, std::move(task)};
    if (away->place.queue->push(std::move(there), TaskQueue::Post::exempt)) return;
    there.task(thread_, nullptr);
}

void ChannelMoves::heardOf(ChannelHandle handle, Place place) {
    Away* away = find(handle);
    if (away == nullptr) return;
    away->place = std::move(place);
    for (Task& task : std::exchange(away->held, {})) thread_.runTask(task);
}

void ChannelMoves::heardOfEnd(ChannelHandle handle) {
    if (find(handle) == nullptr) return;
    Away away = std::move(away_.extract(handle.slot()).mapped());
    thread_.registry_.giveUp(handle.slot());
    for (Task& task : away.held) thread_.runTask(task);
}

void ChannelMoves::forgetAway() {
    while (!away_.empty()) {
        const std::uint32_t slot = away_.begin()->first;
        heardOfEnd({thread_, slot, thread_.registry_.generationOf(slot)});
    }
}

// --- where the channel is -------------------------------------------------------------------

Result<void> ChannelMoves::request(Registration& registration, Place target,
                                   CallbackErrorHandler onError) {
    const ChannelHandle handle = thread_.handleOf(registration.channel());
    if (handle.dispatcher() == nullptr) return Errc::notMovable;  // it is about to leave
    const auto guest = homes_.find(&registration);
    const auto& home = guest == homes_.end() ? thread_.queue_ : guest->second.queue;
    return home->push(Begin{{handle, std::move(target), std::move(onError)}},
                      TaskQueue::Post::exempt);
}

Registration* ChannelMoves::guest(ChannelHandle handle) const {
    const auto found = guests_.find(handle);
    return found == guests_.end() ? nullptr : found->second;
}

ChannelHandle ChannelMoves::handleOf(const Registration& guest) const {
    const auto found = homes_.find(&guest);
    return found == homes_.end() ? ChannelHandle() : found->second.handle;
}

void ChannelMoves::depart(Registration& registration, Request request) {
    const bool stays = request.target.thread == &thread_;
    const std::optional<Errc> refused = stays ? std::nullopt : tellLeaving(registration);
    if (stays || refused) {
        // Home waits to hear where it is.
        const auto guest = homes_.find(&registration);
        if (guest != homes_.end()) tellHome(request.handle, guest->second.queue, false);
        if (refused) tell(request.onError, *refused);
        return;
    }
    Departure departure = packed(registration, std::move(request));
    if (thread_.selector_->release(registration)) return send(std::move(departure));
    // Nothing of it is to be called from now on.
    registration.setInterest(Interest::none);
    departures_.push_back(std::move(departure));
}

std::optional<Errc> ChannelMoves::tellLeaving(Registration& registration) {
    if (thread_.drain_) return Errc::stopped;
    SelectorHandler* const handler = &registration.handler();
    MovableHandler* const leaver = registration.isBroken() ? nullptr : movable(registration);
    if (leaver == nullptr) return Errc::notMovable;
    bool threw = true;
    bool left = false;
    thread_.barrier_.guard(registration, "leaving", [&] {
        onDispatcher.assertCurrent();
        left = leaver->isMovable();
        if (left) leaver->leaving();
        threw = false;
    });
    if (threw) return Errc::handlerFailed;
    if (!registration.isValid()) return Errc::notRegistered;
    // Another handler that was put in its place was not asked.
    const bool same = &registration.handler() == handler;
    return left && same ? std::nullopt : std::optional(Errc::notMovable);
}

ChannelMoves::Departure ChannelMoves::packed(Registration& registration, Request request) {
    const ChannelHandle handle = request.handle;
    Departure departure{
        &registration,
        std::move(request.target),
        {handle, thread_.queue_, registration.served(), registration.interest(),
         registration.flushQueued, registration.revisitQueued, std::move(request.onError)}};
    thread_.flush_.forget(registration);
    thread_.revisit_.forget(registration);
    registration.flushQueued = registration.revisitQueued = false;
    registration.travels = true;
    if (isHome(handle)) {
        thread_.registry_.leave(registration);
        away_.emplace(handle.slot(), Away{});
    } else {
        departure.traveller.home = std::move(homes_.extract(&registration).mapped().queue);
        guests_.erase(handle);
    }
    return departure;
}

void ChannelMoves::send(Departure departure) {
    Registration& left = *departure.registration;
    SelectorHandler& handler = left.handler();
    Arrival arrival{departure.target.thread, std::move(departure.traveller)};
    arrival.traveller.served = left.served();
    arrival.traveller.handler.reset(&handler);
    left.ownsHandler = false;
    handler.channel().detach();
    thread_.countConnection(handler.countsAsConnection(), -1);
    thread_.countAwaited(handler, -1);
    if (!isHome(arrival.traveller.handle)) thread_.registry_.remove(left);
    left.nextGrave = std::exchange(thread_.graves_, &left);
    if (departure.target.queue->push(std::move(arrival), TaskQueue::Post::exempt)) return;
    // Refused: it was not moved from.
    CallbackErrorHandler onError = std::move(arrival.traveller.onError);
    arrive(std::move(arrival.traveller));
    tell(onError, Errc::stopped);
}

void ChannelMoves::askAgain() {
    for (std::size_t i = 0; i < departures_.size();) {
        if (!thread_.selector_->release(*departures_[i].registration)) {
            ++i;
            continue;
        }
        Departure departure = std::move(departures_[i]);
        departures_.erase(departures_.begin() + static_cast<std::ptrdiff_t>(i));
        send(std::move(departure));
    }
}

void ChannelMoves::callBack() {
    while (!departures_.empty()) {
        Departure departure = std::move(departures_.back());
        departures_.pop_back();
        Registration& registration = *departure.registration;
        const ChannelHandle handle = departure.traveller.handle;
        if (isHome(handle)) thread_.registry_.comeBack(handle.slot(), registration);
        registration.setInterest(departure.traveller.interest);
        CallbackErrorHandler onError = std::move(departure.traveller.onError);
        welcome(registration, std::move(departure.traveller));
        tell(onError, Errc::stopped);
    }
}

// --- at the new place -----------------------------------------------------------------------

// Also on a dispatcher that is about to stop and runs what is left: its abort ends the connection
// in the same way as all others.
void ChannelMoves::arrive(Traveller traveller) {
    std::optional<std::uint32_t> slot;
    if (isHome(traveller.handle)) slot = traveller.handle.slot();
    Result<Registration*> entered = thread_.enter(traveller.served, traveller.interest, slot);
    if (!entered) return strand(std::move(traveller), entered.error());
    traveller.handler.release();
    welcome(*entered.value(), std::move(traveller));
}

void ChannelMoves::welcome(Registration& registration, Traveller traveller) {
    const ChannelHandle handle = traveller.handle;
    registration.travels = !isHome(handle);
    std::vector<Task> held;
    if (isHome(handle)) {
        held = std::move(away_.extract(handle.slot()).mapped().held);
    } else {
        guests_.emplace(handle, &registration);
        homes_.emplace(&registration, Home{handle, traveller.home});
        tellHome(handle, traveller.home, false);
    }
    if (traveller.flushes) thread_.flush_.add(registration);
    if (traveller.revisits) thread_.revisit_.add(registration);
    bool threw = true;
    thread_.barrier_.guard(registration, "arrived", [&] {
        onDispatcher.assertCurrent();
        MovableHandler* arrived = movable(registration);
        if (arrived != nullptr) arrived->arrived();
        threw = false;
    });
    if (threw) tell(traveller.onError, Errc::handlerFailed);
    if (thread_.drain_ && registration.isValid()) {
        thread_.barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain,
                              *thread_.drain_);
    }
    for (Task& task : held) thread_.runTask(task);
}

// The kernel does not watch the channel here: it is of no further use.
void ChannelMoves::strand(Traveller traveller, const Error& error) {
    log(LogLevel::warning, "a connection was lost on its way: " + error.message());
    SelectorHandler& handler = *traveller.handler;
    thread_.takeOver(handler);
    handler.channel().close();
    try {
        handler.handleClosed();
    } catch (...) {
        thread_.barrier_.report("moved handler", "handleClosed");
    }
    tell(traveller.onError, error);
    if (isHome(traveller.handle)) return heardOfEnd(traveller.handle);
    tellHome(traveller.handle, traveller.home, true);
}

// A home that has stopped refuses, and has nobody to pass anything on for.
void ChannelMoves::tellHome(ChannelHandle handle, const std::shared_ptr<TaskQueue>& home,
                            bool closed) {
    auto task = [handle, closed, here = Place{&thread_, thread_.queue_}]() mutable {
        onDispatcher.assertCurrent();
        ChannelMoves& moves = handle.dispatcher()->moves();
        closed ? moves.heardOfEnd(handle) : moves.heardOf(handle, std::move(here));
    };
    (void)home->push(std::move(task), TaskQueue::Post::exempt).ok();
}

// --- the end --------------------------------------------------------------------------------

void ChannelMoves::ended(Registration& registration) {
    const auto guest = homes_.extract(&registration);
    if (!guest.empty()) {
        const Home& home = guest.mapped();
        guests_.erase(home.handle);
        thread_.registry_.remove(registration);
        return tellHome(home.handle, home.queue, true);
    }
    const auto leaver = std::find_if(
        departures_.begin(), departures_.end(),
        [&](const Departure& departure) { return departure.registration == &registration; });
    Traveller traveller = std::move(leaver->traveller);
    departures_.erase(leaver);
    // By way of the queue also at home: this is inside a close, and what is held may be anything.
    tellHome(traveller.handle, traveller.home, true);
    if (!isHome(traveller.handle)) thread_.registry_.remove(registration);
    tell(traveller.onError, Errc::notRegistered);
}

}  // namespace nio
