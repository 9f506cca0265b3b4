#include "sms_router/accounts/LoginThrottle.h"

#include "sms_router/accounts/AddressRange.h"

namespace router {

namespace {

constexpr std::size_t linesInASecond = 10;

}  // namespace

void LoginThrottle::setDelay(std::chrono::milliseconds delay) {
    const std::lock_guard lock(mutex_);
    delay_ = delay;
}

std::chrono::milliseconds LoginThrottle::delayOf(const nio::SocketAddress& peer,
                                                 nio::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (byNetwork_.empty()) return {};
    const auto found = byNetwork_.find(AddressRange::around(peer).toString());
    if (found == byNetwork_.end()) return {};
    const Source& source = *found->second;
    const bool isSlowed =
        source.failures >= limits_.freeFailures && now - source.last < limits_.forgetAfter;
    return isSlowed ? delay_ : std::chrono::milliseconds(0);
}

std::optional<std::size_t> LoginThrottle::refused(const nio::SocketAddress& peer,
                                                  nio::TimePoint now, Why why) {
    const std::string network = AddressRange::around(peer).toString();
    const std::lock_guard lock(mutex_);
    Source& source = touch(network, now);
    if (why == Why::guess) ++source.failures;
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

LoginThrottle::Source& LoginThrottle::touch(const std::string& network, nio::TimePoint now) {
    const auto known = byNetwork_.find(network);
    if (known == byNetwork_.end()) {
        if (sources_.size() == limits_.sources) {
            byNetwork_.erase(sources_.back().network);
            sources_.pop_back();
        }
        sources_.push_front({network, 0, 0, now, nio::LogLimiter(limits_.linePeriod)});
        byNetwork_.emplace(network, sources_.begin());
    } else {
        sources_.splice(sources_.begin(), sources_, known->second);
    }
    Source& source = sources_.front();
    if (now - source.last >= limits_.forgetAfter) source.failures = source.refusals = 0;
    source.last = now;
    return source;
}

std::string unsaidText(std::size_t refusals) {
    return refusals == 0 ? "" : ", " + std::to_string(refusals) + " more since the last line";
}

}  // namespace router
