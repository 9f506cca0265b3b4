#include <algorithm>

#include <smpp/session/SessionClock.h>

namespace smpp {

Time SessionClock::next() const {
    return *std::min_element(dues_.begin(), dues_.end());
}

std::optional<SessionClock::Timer> SessionClock::dueAt(Time now) const {
    for (std::size_t i = 0; i < timers; ++i) {
        if (dues_[i] <= now) return static_cast<Timer>(i);
    }
    return std::nullopt;
}

}  // namespace smpp
