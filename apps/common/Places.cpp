#include "common/Places.h"

#include <algorithm>

#include <nio/base/Log.h>
#include <nio/dispatch/SelectorThread.h>

namespace apps {

Places::Place::~Place() {
    if (places_ == nullptr) return;
    const std::lock_guard lock(places_->mutex_);
    withdraw();
    if (--source_->second == 0) places_->sources_.erase(source_);
}

void Places::Place::withdraw() {
    if (!offer_) return;
    if ((*offer_)->ends) --places_->ending_;
    places_->offers_.erase(*offer_);
    offer_.reset();
}

void Places::Place::keep() {
    if (places_ == nullptr) return;
    std::unique_lock lock(places_->mutex_);
    withdraw();
    // The next peer needs a place, too.
    places_->makeRoom(std::move(lock), nullptr);
}

void Places::Place::offer(nio::ChannelHandle connection) {
    if (places_ == nullptr) return;
    std::unique_lock lock(places_->mutex_);
    places_->offers_.push_back({connection});
    withdraw();
    offer_ = std::prev(places_->offers_.end());
    places_->makeRoom(std::move(lock), &places_->offers_.back());
}

void Places::limitEachSource(std::size_t most) {
    const std::lock_guard lock(mutex_);
    mostOfEach_ = most;
}

std::optional<Places::Place> Places::enter(const std::string& source) {
    std::unique_lock lock(mutex_);
    const auto found = sources_.emplace(source, 0).first;
    if (mostOfEach_ == 0 || found->second < mostOfEach_) {
        ++found->second;
        Place place(shared_from_this(), found);
        makeRoom(std::move(lock), nullptr);
        return place;
    }
    const std::string said =
        line(refusedLines_,
             source + " is refused: it has " + std::to_string(found->second) + " connections");
    lock.unlock();
    if (!said.empty()) nio::log(nio::LogLevel::warning, said);
    return std::nullopt;
}

// The connection decides on its own dispatcher: meanwhile it may have been given its place for
// good, and then the next one makes room.
void Places::makeRoom(std::unique_lock<std::mutex> lock, const Offer* newest) {
    if (!isFull()) return;
    const auto oldest = std::find_if(offers_.begin(), offers_.end(),
                                     [](const Offer& offer) { return !offer.ends; });
    if (oldest == offers_.end() || &*oldest == newest) return;
    const nio::ChannelHandle connection = oldest->connection;
    auto end = [places = shared_from_this(), connection] {
        nio::onDispatcher.assertCurrent();
        if (!places->mustEnd(connection)) {
            return places->makeRoom(std::unique_lock(places->mutex_), nullptr);
        }
        nio::SelectorHandler* found = connection.dispatcher()->findNow(connection);
        // What it has been sent still leaves.
        if (found != nullptr) found->handleIdle();
    };
    // One that has stopped ends all of its connections.
    if (!connection.dispatcher()->queue()->push(std::move(end), nio::TaskQueue::Post::exempt)) {
        return;
    }
    oldest->ends = true;
    ++ending_;
    const std::string said =
        line(endedLines_, "all " + std::to_string(gate_->maximum()) +
                              " places are taken: the longest idle stranger is disconnected");
    lock.unlock();
    if (!said.empty()) nio::log(nio::LogLevel::warning, said);
}

bool Places::mustEnd(nio::ChannelHandle connection) {
    const std::lock_guard lock(mutex_);
    return std::any_of(offers_.begin(), offers_.end(), [&](const Offer& offer) {
        return offer.ends && offer.connection == connection;
    });
}

std::string Places::line(nio::LogLimiter& limiter, const std::string& what) {
    const std::optional<std::size_t> heldBack = limiter.admit(nio::Clock::now());
    if (!heldBack) return {};
    std::string text = name_ + ": " + what;
    if (*heldBack > 0) text += " (" + std::to_string(*heldBack) + " more like this)";
    return text;
}

}  // namespace apps
