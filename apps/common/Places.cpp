#include "common/Places.h"

#include <algorithm>

#include <nio/base/Log.h>
#include <nio/loop/SelectorThread.h>

namespace apps {

bool Places::Ranking::operator()(Sources::iterator a, Sources::iterator b) const {
    const Offers& one = a->second.offers;
    const Offers& other = b->second.offers;
    if (one.empty() || other.empty()) {
        return one.empty() == other.empty() ? a->first < b->first : other.empty();
    }
    if (a->second.strangers != b->second.strangers) {
        return a->second.strangers > b->second.strangers;
    }
    return one.front().number < other.front().number;
}

template <class F>
void Places::rank(Sources::iterator source, F&& change) {
    auto node = ranked_.extract(source);
    change(source->second);
    ranked_.insert(std::move(node));
}

Places::Place::~Place() {
    if (places_ == nullptr) return;
    const std::lock_guard lock(places_->mutex_);
    withdraw();
    if (--source_->second.connections > 0) return;
    places_->ranked_.erase(source_);
    places_->sources_.erase(source_);
}

void Places::Place::withdraw() {
    if (offer_ && (*offer_)->ends) {
        places_->ending_.erase(*offer_);
    } else if (!kept_) {
        places_->rank(source_, [this](Source& source) {
            --source.strangers;
            if (offer_) source.offers.erase(*offer_);
        });
    }
    offer_.reset();
    kept_ = true;
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
    Offers newest{{connection, ++places_->lastNumber_}};
    withdraw();
    offer_ = newest.begin();
    kept_ = false;
    places_->rank(source_, [&newest](Source& source) {
        ++source.strangers;
        source.offers.splice(source.offers.end(), newest);
    });
    places_->makeRoom(std::move(lock), &**offer_);
}

void Places::limitEachSource(std::size_t most) {
    const std::lock_guard lock(mutex_);
    mostOfEach_ = most;
}

std::optional<Places::Place> Places::enter(const std::string& source) {
    std::unique_lock lock(mutex_);
    const auto [found, isNew] = sources_.try_emplace(source);
    try {
        if (isNew) ranked_.insert(found);
    } catch (...) {
        sources_.erase(found);
        throw;
    }
    const std::size_t connections = found->second.connections;
    if (mostOfEach_ == 0 || connections < mostOfEach_) {
        rank(found, [](Source& of) {
            ++of.connections;
            ++of.strangers;
        });
        Place place(shared_from_this(), found);
        makeRoom(std::move(lock), nullptr);
        return place;
    }
    const std::string said = line(refusedLines_, "connection from " + source + " refused: it has " +
                                                     std::to_string(connections) + " already");
    lock.unlock();
    if (!said.empty()) nio::log(nio::LogLevel::warning, said);
    return std::nullopt;
}

// The connection decides on its own dispatcher: meanwhile it may have been given its place for
// good, and then the next one makes room.
void Places::makeRoom(std::unique_lock<std::mutex> lock, const Offer* newest) {
    if (!isFull() || ranked_.empty()) return;
    const Sources::iterator source = *ranked_.begin();
    Offers& offers = source->second.offers;
    if (offers.empty() || &offers.front() == newest) return;
    const nio::ChannelHandle connection = offers.front().connection;
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
    rank(source, [this](Source& of) {
        --of.strangers;
        of.offers.front().ends = true;
        ending_.splice(ending_.end(), of.offers, of.offers.begin());
    });
    const std::string said =
        line(endedLines_, "connection limit of " + std::to_string(gate_->maximum()) +
                              " reached: closing the longest idle connection" +
                              (source->first.empty() ? "" : " from " + source->first));
    lock.unlock();
    if (!said.empty()) nio::log(nio::LogLevel::warning, said);
}

bool Places::mustEnd(nio::ChannelHandle connection) {
    const std::lock_guard lock(mutex_);
    return std::any_of(ending_.begin(), ending_.end(),
                       [&](const Offer& offer) { return offer.connection == connection; });
}

std::string Places::line(nio::LogLimiter& limiter, const std::string& what) {
    const auto more = limiter.admit(nio::Clock::now());
    return more ? name_ + ": " + what + *more : std::string();
}

}  // namespace apps
