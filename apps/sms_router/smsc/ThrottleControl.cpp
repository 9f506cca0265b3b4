#include "sms_router/smsc/ThrottleControl.h"

#include <algorithm>

namespace router {

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr double cut = 0.9;
constexpr double raise = 1.05;
// Without a configured limit, the one that was learnt is forgotten when twice the rate at which the
// SMSC complained goes through.
constexpr double forget = 2;
constexpr double noMeasure = 50;  // messages per second: less than that

}  // namespace

void ThrottleControl::configure(double messagesPerSecond) {
    configured_ = messagesPerSecond;
    allowed_ = messagesPerSecond;
    limitSeen_ = 0;
    paidOff_ = nio::TimePoint::min();
}

nio::Clock::duration ThrottleControl::interval() const {
    return nanoseconds(static_cast<std::int64_t>(1e9 / allowed_));
}

// A tenth of a second's worth, so that timers need not be exact.
nio::Clock::duration ThrottleControl::burst() const {
    return allowed_ <= 0 ? nanoseconds(0) : nanoseconds(100'000'000);
}

nio::TimePoint ThrottleControl::next() const {
    const nio::TimePoint paid = paidOff_ - burst();
    return isLowered() ? std::min(paid, lastRaise_ + seconds(1)) : paid;
}

bool ThrottleControl::take(nio::TimePoint now, unsigned messages) {
    recover(now);
    if (allowed_ > 0) {
        const nio::TimePoint from = std::max(paidOff_, now);
        if (from - now > burst()) return false;
        paidOff_ = from + interval() * messages;
    }
    return true;
}

void ThrottleControl::accepted(nio::TimePoint now, unsigned messages) {
    measure(now);
    thisSecond_ += messages;
}

void ThrottleControl::measure(nio::TimePoint now) {
    if (secondBegan_ != nio::TimePoint::min() && now - secondBegan_ < seconds(1)) return;
    const bool follows = secondBegan_ != nio::TimePoint::min() && now - secondBegan_ < seconds(2);
    lastSecond_ = follows ? thisSecond_ : 0;
    thisSecond_ = 0;
    secondBegan_ = now;
}

void ThrottleControl::throttled(nio::TimePoint now) {
    // The answers to one burst are one complaint.
    if (lastCut_ != nio::TimePoint::min() && now - lastCut_ < seconds(1)) return;
    lastCut_ = lastRaise_ = now;
    measure(now);
    const double taken = std::max(thisSecond_, lastSecond_);
    if (limitSeen_ <= 0) limitSeen_ = std::max(taken, noMeasure);
    // More answers than are allowed may come at once: each complaint cuts all the same.
    const double base = allowed_ > 0 ? std::min(taken, allowed_) : taken;
    const double low = std::max(base * cut, lowestCut());
    allowed_ = allowed_ > 0 ? std::min(allowed_, low) : low;
    paidOff_ = std::max(paidOff_, now + burst());
}

// What was taken while hardly anything was offered is no measure.
double ThrottleControl::lowestCut() const {
    const double first = cut * (configured_ > 0 ? std::min(configured_, noMeasure) : noMeasure);
    return std::max(1.0, isLowered() ? allowed_ / 2 : first);
}

void ThrottleControl::recover(nio::TimePoint now) {
    if (lastRaise_ == nio::TimePoint::min()) return;
    const double before = allowed_;
    while (isLowered() && now - lastRaise_ >= seconds(1)) {
        lastRaise_ += seconds(1);
        raiseOnce();
    }
    if (!isLowered()) lastRaise_ = now;
    if (allowed_ != before) payFaster(before, now);
}

// What is owed is owed in messages.
void ThrottleControl::payFaster(double than, nio::TimePoint now) {
    if (paidOff_ <= now) return;
    const double share = allowed_ > 0 ? than / allowed_ : 0;
    const auto owed = static_cast<double>((paidOff_ - now).count()) * share;
    paidOff_ = now + nio::Clock::duration(static_cast<std::int64_t>(owed));
}

bool ThrottleControl::isLowered() const {
    return allowed_ > 0 && (configured_ <= 0 || allowed_ < configured_);
}

void ThrottleControl::raiseOnce() {
    allowed_ = allowed_ * raise + 1;
    if (configured_ > 0) {
        allowed_ = std::min(allowed_, configured_);
    } else if (allowed_ > limitSeen_ * forget) {
        allowed_ = 0;
        limitSeen_ = 0;
    }
}

}  // namespace router
