#include "sms_router/session/LoginThrottle.h"

#include <algorithm>
#include <utility>

#include "common/Endpoint.h"

namespace router {

namespace {

constexpr std::size_t linesInASecond = 10;

}  // namespace

void LoginThrottle::setDelay(std::chrono::milliseconds delay) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(delay_, delay) == delay) return;
    for (Source& source : sources_) source.turn = {};
}

std::optional<std::chrono::milliseconds> LoginThrottle::takeTurn(const nio::SocketAddress& peer,
                                                                 nio::TimePoint now) {
    constexpr std::chrono::milliseconds none{0};
    const std::lock_guard lock(mutex_);
    if (byName_.empty()) return none;
    const auto found = byName_.find(apps::sourceOf(peer));
    if (found == byName_.end()) return none;
    Source& source = *found->second;
    if (source.failures < limits_.freeFailures || isForgotten(source, now)) return none;
    const nio::TimePoint turn = std::max(source.turn, now) + delay_;
    if (turn - now > longestWait()) return std::nullopt;
    source.turn = turn;
    return std::chrono::ceil<std::chrono::milliseconds>(turn - now);
}

std::optional<std::size_t> LoginThrottle::refused(const nio::SocketAddress& peer,
                                                  nio::TimePoint now, Why why) {
    const std::string name = apps::sourceOf(peer);
    const std::lock_guard lock(mutex_);
    Source& source = touch(name, now);
    if (why == Why::guess) {
        ++source.failures;
        source.lastGuess = now;
    }
    const bool isDue = source.lines.admit(now).has_value();
    const bool isWanted = isDue || ++source.refusals < limits_.freeFailures;
    if (isWanted && hasLineNow(now)) return std::exchange(unsaid_, 0);
    ++unsaid_;
    return std::nullopt;
}

bool LoginThrottle::hasLineNow(nio::TimePoint now) {
    if (now - second_ >= std::chrono::seconds(1)) {
        second_ = now;
        saidInSecond_ = 0;
    }
    if (saidInSecond_ == linesInASecond) return false;
    ++saidInSecond_;
    return true;
}

// Not by its turns: right attempts take turns, too, and must not prolong this.
bool LoginThrottle::isForgotten(const Source& source, nio::TimePoint now) const {
    return now - source.lastGuess >= limits_.forgetAfter + longestWait();
}

LoginThrottle::Source& LoginThrottle::touch(const std::string& name, nio::TimePoint now) {
    const auto known = byName_.find(name);
    if (known == byName_.end()) {
        if (sources_.size() == limits_.sources) {
            byName_.erase(sources_.back().name);
            sources_.pop_back();
        }
        sources_.push_front({name, 0, 0, now, now, {}, nio::LogLimiter(limits_.linePeriod)});
        byName_.emplace(name, sources_.begin());
    } else {
        sources_.splice(sources_.begin(), sources_, known->second);
    }
    Source& source = sources_.front();
    if (isForgotten(source, now)) source.failures = 0;
    if (now - source.lastRefusal >= limits_.forgetAfter) source.refusals = 0;
    source.lastRefusal = now;
    return source;
}

std::string unsaidText(std::size_t refusals) {
    return refusals == 0 ? "" : ", " + std::to_string(refusals) + " more since the last line";
}

}  // namespace router
