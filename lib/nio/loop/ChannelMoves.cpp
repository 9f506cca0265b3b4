#include <nio/loop/ChannelMoves.h>

#include <typeinfo>

#include <nio/loop/SelectorHandlers.h>
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
    QueueRoom room;  // at home, which has accepted it

    void operator()() {
        onDispatcher.assertCurrent();
        task(*thread, thread->findNow(handle));
    }
};

// At home, where it waits until the channel is no longer on its way.
struct ChannelMoves::HeldBegin {
    ChannelMoves& moves;
    Request request;
    QueueRoom room;

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
void ChannelMoves::tell(CallbackErrorHandler& onError, const Error& error) {
    guarded(
        [&] {
            if (onError) onError(error);
        },
        [this](const std::exception_ptr& thrown) {
            thread_.barrier_.report("task", "onError", thrown);
        });
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
    if (away->place.thread == nullptr) return holdBack(*away, std::move(request));
    if (away->place.thread == request.target.thread) return;
    BeginDeparture task{away->place.thread, std::move(request)};
    const Result<void> asked = away->place.queue->pushOrRefuse(std::move(task));
    if (!asked) return tell(task.request.onError, asked.error());
    away->place = {};
}

void ChannelMoves::holdBack(Away& away, Request request) {
    HeldBegin held{*this, std::move(request), QueueRoom(thread_.queue_)};
    try {
        away.held.emplace_back(std::move(held));
    } catch (const std::bad_alloc&) {
        // It was not moved from.
        tell(held.request.onError, std::errc::not_enough_memory);
    }
}

void ChannelMoves::forward(ChannelHandle handle, HandlerTask task) {
    Away* away = find(handle);
    if (away == nullptr) return task(thread_, nullptr);
    if (away->place.thread == nullptr) {
        auto held = [this, handle, task = std::move(task),
                     room = QueueRoom(thread_.queue_)]() mutable {
            onDispatcher.assertCurrent();
            SelectorHandler* here = thread_.findNow(handle);
            here != nullptr ? task(thread_, here) : forward(handle, std::move(task));
        };
        away->held.emplace_back(std::move(held));
        return;
    }
    // It was accepted here already, and counts here. A place that has stopped has closed the
    // channel.
    Forward there{away->place.thread, handle, std::move(task), QueueRoom(thread_.queue_)};
    const Result<void> forwarded = away->place.queue->pushOrRefuse(std::move(there));
    if (forwarded) return;
    // The channel lives: that its task was lost is reported, not that it is gone.
    if (forwarded.error().is(std::errc::not_enough_memory)) throw std::bad_alloc();
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
    if (departureOf(registration) != departures_.end()) return Errc::notMovable;
    const ChannelHandle handle = thread_.handleOf(registration.channel());
    const auto& home = isHome(handle) ? thread_.queue_ : byHandle_.at(handle)->home;
    return home->pushOrRefuse(Begin{{handle, std::move(target), std::move(onError)}});
}

void ChannelMoves::depart(Registration& registration, Request request) {
    const ChannelHandle handle = request.handle;
    if (request.target.thread == &thread_) return stays(handle);
    Guests guest;
    Result<void> goes = prepare(handle, guest);
    if (goes) goes = tellLeaving(registration, *request.target.queue);
    if (!goes) {
        stays(handle);
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

Result<void> ChannelMoves::prepare(ChannelHandle handle, Guests& guest) {
    try {
        if (departures_.size() == departures_.capacity()) {
            departures_.reserve(2 * departures_.size() + 1);
        }
        if (!isHome(handle)) return {};
        guest.push_back({handle, thread_.queue_});
        away_.emplace(handle.slot(), Away{});
        return {};
    } catch (const std::bad_alloc&) {
        return std::errc::not_enough_memory;
    }
}

// Its home waits to hear where it is; one that was closed meanwhile has told it.
void ChannelMoves::stays(ChannelHandle handle) {
    if (isHome(handle)) return static_cast<void>(away_.erase(handle.slot()));
    const auto guest = byHandle_.find(handle);
    if (guest != byHandle_.end()) tellHome(guest->second);
}

Result<void> ChannelMoves::tellLeaving(Registration& registration, const TaskQueue& target) {
    if (thread_.drain_ || !target.takesConnections()) return Errc::stopped;
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
    thread_.barrier_.guard(registration, "leaving", [&] {
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
    thread_.barrier_.guard(registration, "arrived", [&] {
        onDispatcher.assertCurrent();
        if (traveller != nullptr) {
            registration.setInterest(traveller->interest | registration.interest());
            queueVisits(registration, *traveller);
        }
        movable(registration).arrived();
        threw = false;
    });
    return !threw;
}

ChannelMoves::Departure ChannelMoves::packed(Registration& registration, Request request,
                                             Guests guest) {
    if (isHome(request.handle)) {
        thread_.registry_.leave(registration);
    } else {
        guest.splice(guest.begin(), guests_, byHandle_.at(request.handle));
        // Nobody looks for it any more, to tell it of the budget either.
        thread_.memory_.forget(registration.slot);
    }
    guest.front().leaves = true;
    Departure departure{
        &registration,
        std::move(request.target),
        {std::move(guest), registration.served(), registration.interest(), registration.flushQueued,
         registration.revisitQueued, std::move(request.onError)}};
    thread_.flush_.forget(registration);
    thread_.revisit_.forget(registration);
    registration.flushQueued = registration.revisitQueued = false;
    registration.travels = true;
    return departure;
}

void ChannelMoves::queueVisits(Registration& registration, const Traveller& traveller) {
    if (traveller.flushes) thread_.flush_.add(registration);
    if (traveller.revisits) thread_.revisit_.add(registration);
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

bool ChannelMoves::flushesThere(const Registration& registration) {
    const auto leaver = departureOf(registration);
    if (leaver != departures_.end()) leaver->traveller.flushes = true;
    return leaver != departures_.end();
}

bool ChannelMoves::revisitsThere(const Registration& registration) {
    const auto leaver = departureOf(registration);
    if (leaver != departures_.end()) leaver->traveller.revisits = true;
    return leaver != departures_.end();
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
    if (!thread_.selector_->release(registration)) return false;
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
    left.ownsHandler = false;
    handler.channel().detach();
    thread_.countConnection(handler.countsAsConnection(), -1);
    thread_.countAwaited(handler, -1);
    thread_.memory_.forget(left.slot);
    left.nextGrave = std::exchange(thread_.graves_, &left);
    if (!isHome(handle)) {
        handles_[left.slot] = {};
        thread_.registry_.remove(left);
    }
    const Result<void> sent = departure.target.queue->pushOrRefuse(std::move(arrival));
    if (sent) return static_cast<void>(byHandle_.erase(handle));
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
    if (!owesNews()) return;
    for (auto guest = guests_.begin(); guest != guests_.end();) {
        const auto each = guest++;
        if (each->newsOwed) tellHome(each);
    }
}

void ChannelMoves::callBack() {
    while (!departures_.empty()) comeBack(taken(*departures_.back().registration), Errc::stopped);
}

void ChannelMoves::comeBack(Departure departure, Errc reason) {
    Registration& registration = *departure.registration;
    const ChannelHandle handle = departure.traveller.handle();
    if (isHome(handle)) thread_.registry_.comeBack(handle.slot(), registration);
    CallbackErrorHandler onError = std::move(departure.traveller.onError);
    welcome(registration, std::move(departure.traveller));
    tell(onError, reason);
}

}  // namespace nio
