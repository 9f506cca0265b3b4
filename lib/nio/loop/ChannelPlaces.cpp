#include <nio/loop/ChannelPlaces.h>

#include <nio/loop/SelectorThread.h>

namespace nio {

struct ChannelPlaces::Forward {
    SelectorThread* thread;
    ChannelHandle handle;
    HandlerTask task;
    QueueRoom room;  // at home, which has accepted it

    void operator()() {
        onDispatcher.assertCurrent();
        task(*thread, thread->findNow(handle));
    }
};

Registration* ChannelPlaces::find(ChannelHandle handle) const {
    if (isHome(handle)) return thread_.registry().table().find(handle.slot(), handle.generation());
    const auto found = byHandle_.find(handle);
    const bool isHere = found != byHandle_.end() && !found->second->leaves;
    return isHere ? found->second->registration : nullptr;
}

ChannelHandle ChannelPlaces::handleOf(const Registration& registration) const {
    const bool has = registration.slot < handles_.size();
    const bool isIts = has && find(handles_[registration.slot]) == &registration;
    return isIts ? handles_[registration.slot] : ChannelHandle();
}

// --- its own that are elsewhere -------------------------------------------------------------

ChannelPlaces::Away* ChannelPlaces::away(ChannelHandle handle) {
    if (!isHome(handle)) return nullptr;
    const auto away = away_.find(handle.slot());
    if (away == away_.end()) return nullptr;
    const SlotTable& slots = thread_.registry().table();
    const bool same = slots.generationOf(handle.slot()) == handle.generation();
    return same ? &away->second : nullptr;
}

void ChannelPlaces::forward(ChannelHandle handle, HandlerTask task) {
    Away* known = away(handle);
    if (known == nullptr) return task(thread_, nullptr);
    if (known->place.thread == nullptr) {
        auto held = [this, handle, task = std::move(task),
                     room = QueueRoom(thread_.queue())]() mutable {
            onDispatcher.assertCurrent();
            SelectorHandler* here = thread_.findNow(handle);
            here != nullptr ? task(thread_, here) : forward(handle, std::move(task));
        };
        known->held.emplace_back(std::move(held));
        return;
    }
    // It was accepted here already, and counts here. A place that has stopped has closed the
    // channel.
    Forward there{known->place.thread, handle, std::move(task), QueueRoom(thread_.queue())};
    const Result<void> forwarded = known->place.queue->pushOrRefuse(std::move(there));
    if (forwarded) return;
    // The channel lives: that its task was lost is reported, not that it is gone.
    if (forwarded.error().is(std::errc::not_enough_memory)) throw std::bad_alloc();
    there.task(thread_, nullptr);
}

void ChannelPlaces::run(std::vector<Task> held) {
    for (Task& task : held) barrier_.run(task);
}

std::vector<Task> ChannelPlaces::cameBack(ChannelHandle handle) {
    return std::move(away_.extract(handle.slot()).mapped().held);
}

void ChannelPlaces::isAt(ChannelHandle handle, Place place) {
    Away* known = away(handle);
    if (known == nullptr) return;
    known->place = std::move(place);
    run(std::exchange(known->held, {}));
}

void ChannelPlaces::ended(ChannelHandle handle) {
    if (away(handle) == nullptr) return;
    std::vector<Task> held = cameBack(handle);
    thread_.registry().table().giveUp(handle.slot());
    run(std::move(held));
}

void ChannelPlaces::forgetAway() {
    while (!away_.empty()) {
        const std::uint32_t slot = away_.begin()->first;
        ended({thread_, slot, thread_.registry().table().generationOf(slot)});
    }
}

// --- those of others that are here ----------------------------------------------------------

const std::shared_ptr<TaskQueue>& ChannelPlaces::homeOf(ChannelHandle handle) const {
    return isHome(handle) ? thread_.queue() : byHandle_.at(handle)->home;
}

void ChannelPlaces::prepareToLeave(ChannelHandle handle, Guests& guest) {
    if (!isHome(handle)) return;
    guest.push_back({handle, thread_.queue()});
    away_.emplace(handle.slot(), Away{});
}

// Its home waits to hear where it is; one that was closed meanwhile has told it.
void ChannelPlaces::stays(ChannelHandle handle) {
    if (isHome(handle)) return static_cast<void>(away_.erase(handle.slot()));
    const auto guest = byHandle_.find(handle);
    if (guest != byHandle_.end()) tellHome(guest->second);
}

void ChannelPlaces::leaves(ChannelHandle handle, Guests& guest) {
    if (!isHome(handle)) guest.splice(guest.begin(), guests_, byHandle_.at(handle));
    guest.front().leaves = true;
}

void ChannelPlaces::prepareToArrive(Guests& guest) {
    byHandle_.insert_or_assign(guest.front().handle, guest.begin());
    const std::size_t slots = thread_.registry().table().slotCount() + 1;
    if (handles_.size() < slots) handles_.resize(2 * slots);
}

void ChannelPlaces::arrived(Registration& registration, Guests guest) {
    handles_[registration.slot] = guest.front().handle;
    guest.front().registration = &registration;
    guest.front().leaves = false;
    guests_.splice(guests_.begin(), guest);
    tellHome(guests_.begin());
}

void ChannelPlaces::freeSlot(Registration& registration) {
    handles_[registration.slot] = {};
    thread_.registry().table().remove(registration);
}

ChannelPlaces::Guests ChannelPlaces::taken(const Registration& registration) {
    Guests guest;
    const auto found = byHandle_.find(handleOf(registration));
    if (found != byHandle_.end()) guest.splice(guest.begin(), guests_, found->second);
    return guest;
}

void ChannelPlaces::farewell(Guests guest) {
    guest.front().registration = nullptr;
    guest.front().closed = true;
    byHandle_.erase(guest.front().handle);
    guests_.splice(guests_.begin(), guest);
    tellHome(guests_.begin());
}

// A home that has stopped refuses, and has nobody to pass anything on for. One that cannot be told
// for want of memory is told later.
void ChannelPlaces::tellHome(Guests::iterator guest) {
    if (std::exchange(guest->newsOwed, false)) --newsOwed_;
    auto news = [handle = guest->handle, closed = guest->closed,
                 here = Place{&thread_, thread_.queue()}]() mutable {
        onDispatcher.assertCurrent();
        ChannelPlaces& places = handle.dispatcher()->moves().places();
        closed ? places.ended(handle) : places.isAt(handle, std::move(here));
    };
    const Result<void> told = guest->home->pushOrRefuse(std::move(news));
    if (!told && told.error().is(std::errc::not_enough_memory)) {
        guest->newsOwed = true;
        ++newsOwed_;
        return;
    }
    if (guest->closed) guests_.erase(guest);
}

void ChannelPlaces::tellOwed() {
    if (!owesNews()) return;
    for (auto guest = guests_.begin(); guest != guests_.end();) {
        const auto each = guest++;
        if (each->newsOwed) tellHome(each);
    }
}

}  // namespace nio
