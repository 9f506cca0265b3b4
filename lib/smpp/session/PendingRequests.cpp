#include <bit>
#include <cassert>
#include <utility>

#include <smpp/session/PendingRequests.h>

#include <algorithm>

namespace smpp {

namespace {

constexpr std::size_t firstPlaces = 8;

}  // namespace

void PendingRequests::add(const PendingRequest& request) {
    assert(request.sequence != 0 && !contains(request.sequence));
    if (places_.size() < 2 * (size() + 1)) grow();
    const std::size_t place = find(request.sequence);
    places_[place].request = request;
    append(place);
    ++size_;
}

std::optional<PendingRequest> PendingRequests::take(std::uint32_t sequence) {
    if (sequence == 0 || empty()) return std::nullopt;
    const std::size_t place = find(sequence);
    if (isFree(place)) return std::nullopt;
    return takeFrom(place);
}

const PendingRequest* PendingRequests::oldest() const {
    return empty() ? nullptr : &places_[oldest_].request;
}

std::optional<PendingRequest> PendingRequests::takeOldest() {
    if (empty()) return std::nullopt;
    return takeFrom(oldest_);
}

// Numbers in a row spread evenly, and a peer that leaves out the answers it likes cannot make long
// clusters of them.
std::size_t PendingRequests::homeOf(std::uint32_t sequence) const {
    constexpr std::uint32_t goldenRatio = 0x9E3779B9;
    return (sequence * goldenRatio) >> (32 - std::countr_zero(places_.size()));
}

std::size_t PendingRequests::find(std::uint32_t sequence) const {
    std::size_t place = homeOf(sequence);
    while (!isFree(place) && places_[place].request.sequence != sequence) {
        place = (place + 1) & mask();
    }
    return place;
}

void PendingRequests::grow() {
    std::vector<Place> old(places_.empty() ? firstPlaces : 2 * places_.size());
    old.swap(places_);
    std::uint32_t next = std::exchange(oldest_, none);
    newest_ = none;
    while (next != none) {
        const Place& moved = old[next];
        const std::size_t place = find(moved.request.sequence);
        places_[place].request = moved.request;
        append(place);
        next = moved.after;
    }
}

void PendingRequests::append(std::size_t place) {
    const auto index = static_cast<std::uint32_t>(place);
    places_[place].before = newest_;
    places_[place].after = none;
    afterOf(newest_) = index;
    newest_ = index;
}

void PendingRequests::unlink(const Place& place) {
    afterOf(place.before) = place.after;
    beforeOf(place.after) = place.before;
}

PendingRequest PendingRequests::takeFrom(std::size_t place) {
    const PendingRequest taken = places_[place].request;
    unlink(places_[place]);
    places_[place].request.sequence = 0;
    closeGap(place);
    --size_;
    return taken;
}

// What stands behind a gap and was pushed there comes back, so that find() may stop at a free
// place.
void PendingRequests::closeGap(std::size_t gap) {
    for (std::size_t i = (gap + 1) & mask(); !isFree(i); i = (i + 1) & mask()) {
        const std::size_t home = homeOf(places_[i].request.sequence);
        const bool passedTheGap = ((i - home) & mask()) >= ((i - gap) & mask());
        if (!passedTheGap) continue;
        move(i, gap);
        gap = i;
    }
}

void PendingRequests::move(std::size_t from, std::size_t to) {
    places_[to] = places_[from];
    const auto index = static_cast<std::uint32_t>(to);
    afterOf(places_[to].before) = index;
    beforeOf(places_[to].after) = index;
    places_[from].request.sequence = 0;
}

std::uint32_t& PendingRequests::afterOf(std::uint32_t place) {
    return place == none ? oldest_ : places_[place].after;
}

std::uint32_t& PendingRequests::beforeOf(std::uint32_t place) {
    return place == none ? newest_ : places_[place].before;
}

void PendingRequests::postponeAll(std::chrono::nanoseconds deadline) {
    for (Place& place : places_) {
        place.request.deadline = std::max(place.request.deadline, deadline);
    }
}

}  // namespace smpp
