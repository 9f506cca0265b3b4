#include "sms_router/delivery/PassedReceipts.h"

namespace router {

PassedReceipts::Place PassedReceipts::find(std::uint32_t meaning) const {
    for (Place place = 0; place < most; ++place) {
        if (isTaken(place) && meanings_[place] == meaning) return place;
    }
    return none;
}

PassedReceipts::Place PassedReceipts::freePlace() const {
    for (Place i = 0; i < most; ++i) {
        const Place place = (next_ + i) % most;
        if ((inFlight_ & bitOf(place)) == 0) return place;
    }
    return none;
}

PassedReceipts::Place PassedReceipts::add(std::uint32_t meaning) {
    const Place place = freePlace();
    if (place == none) return none;
    meanings_[place] = meaning;
    safe_ = static_cast<std::uint8_t>(safe_ & ~bitOf(place));
    inFlight_ = static_cast<std::uint8_t>(inFlight_ | bitOf(place));
    next_ = static_cast<std::uint8_t>((place + 1) % most);
    return place;
}

void PassedReceipts::ended(Place place, bool safe) {
    inFlight_ = static_cast<std::uint8_t>(inFlight_ & ~bitOf(place));
    if (safe) safe_ = static_cast<std::uint8_t>(safe_ | bitOf(place));
}

}  // namespace router
