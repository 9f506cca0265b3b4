#include "sms_router/egress/ThrottleControl.h"

#include <algorithm>
#include <utility>

namespace router {

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr double toleratedShare = 0.03;
// So many more throttled answers than are tolerated are not chance. With a share that is throttled
// whatever the rate, they vary the more.
constexpr double enough = 3;
constexpr double enoughPerBackground = 100;
constexpr double perBackground = 1.5;   // tolerated
constexpr double mostBackground = 0.2;  // after a single cut
constexpr int enoughUnmoved = 2;        // cuts, for more than that
constexpr double halfAsMuch = 0.5;
constexpr double hardlyLess = 0.75;    // of a share, after a cut
constexpr double halfForgotten = 0.5;  // in a measurement of its own, and otherwise
constexpr double hardlyForgotten = 0.03;

constexpr double cutTo = 0.985;       // of what the SMSC has taken
constexpr double quietCutTo = 0.993;  // of a rate that was used up without a complaint
constexpr double noMeasure = 45;      // messages per second: less than that
// What a share, and a rate, can be told from.
constexpr double fewestAnswers = 20;
constexpr double fewestAccepted = 10;
constexpr double fewestThrottled = 6;
constexpr double shortestMeasure = 0.5;  // seconds
constexpr seconds longestPause{2};

constexpr seconds measuredStays{18};
constexpr seconds unsureStays{5};
constexpr double sureOf = 100;  // answers
constexpr seconds guessStays{2};
constexpr double firstStep = 0.01;
constexpr double pastLimit = 1.1;
constexpr double largestStep = 0.2;
constexpr double stepOfGuess = 0.5;
// Without a configured limit, the one that was learnt is forgotten when twice as much is allowed
// and not used up.
constexpr double forget = 2;

}  // namespace

ThrottleControl::ThrottleControl(double messagesPerSecond, bool isAdaptive)
    : configured_(messagesPerSecond), isAdaptive_(isAdaptive), allowed_(messagesPerSecond) {}

double ThrottleControl::Stretch::span() const {
    return std::chrono::duration<double>(end - begin).count();
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
    return isLowered() ? std::min(paid, nextRaise()) : paid;
}

bool ThrottleControl::take(nio::TimePoint now, unsigned messages) {
    recover(now);
    if (allowed_ > 0) {
        const nio::TimePoint from = std::max(paidOff_, now);
        isUsed_ = isUsed_ || from - now > burst();
        if (from - now > burst()) return false;
        paidOff_ = from + interval() * messages;
    }
    return true;
}

// --- what the SMSC says ---------------------------------------------------------------------

void ThrottleControl::accepted(nio::TimePoint sent, unsigned messages) {
    if (!isAdaptive_ || !counts(sent)) return;
    current_.accepted += messages;
    complaint_ = std::max(0.0, complaint_ - tolerated() * messages);
}

void ThrottleControl::throttled(nio::TimePoint sent, nio::TimePoint now) {
    if (!isAdaptive_ || !counts(sent)) return;
    current_.throttled += 1;
    complaint_ += 1 - tolerated();
    if (complaint_ < enough + enoughPerBackground * background_) return;
    const bool isMost =
        current_.throttled > current_.accepted && current_.throttled >= fewestThrottled;
    const bool isMeasured = suspected_ == 0 && takenPerSecond() > 0;
    if (isMost || isMeasured) cut(now);
}

bool ThrottleControl::counts(nio::TimePoint sent) {
    // The answers to one burst are one complaint.
    if (lastCut_ != nio::TimePoint::min() && sent < lastCut_ + seconds(1)) return false;
    const bool isFirst = current_.end == nio::TimePoint::min();
    if (isFirst || sent - current_.end > longestPause) {
        previous_ = {};
        current_ = {sent, sent};
    }
    current_.end = std::max(current_.end, sent);
    if (current_.span() >= 1 && current_.answers() >= fewestAnswers) stretchEnds();
    return true;
}

void ThrottleControl::stretchEnds() {
    const double share = current_.throttled / current_.answers();
    if (suspected_ > 0 && share >= hardlyLess * suspected_) ++unmoved_;
    if (share < halfAsMuch * suspected_) unmoved_ = 0;
    // By chance a small share varies by more than that.
    const bool hasStayed = share <= toleratedShare || share >= hardlyLess * suspected_;
    if (share < background_) {
        background_ += (share - background_) * (suspected_ > 0 ? halfForgotten : hardlyForgotten);
    } else if (hasStayed && (share <= mostBackground || unmoved_ >= enoughUnmoved)) {
        background_ = std::max(background_, std::min(share, suspected_));
    }
    if (std::exchange(suspected_, 0) > 0) complaint_ = 0;
    previous_ = current_;
    current_ = {previous_.end, previous_.end};
}

double ThrottleControl::tolerated() const {
    return toleratedShare + perBackground * background_;
}

// 0: too little is known.
double ThrottleControl::takenPerSecond() const {
    const double span = current_.span() + previous_.span();
    const double taken = acceptedAnswers();
    const bool isKnown = span >= shortestMeasure && taken >= fewestAccepted;
    return isKnown ? taken / span : 0;
}

double ThrottleControl::acceptedAnswers() const {
    return current_.accepted + previous_.accepted;
}

double ThrottleControl::throttledShare() const {
    return (current_.throttled + previous_.throttled) / (current_.answers() + previous_.answers());
}

void ThrottleControl::cut(nio::TimePoint now) {
    const double taken = takenPerSecond();
    const double before = allowed_ > 0 ? allowed_ : std::max({taken, quiet_, noMeasure});
    allowed_ =
        std::max(std::min(std::max(taken * cutTo, quiet_ * quietCutTo), before), lowestCut());
    if (configured_ > 0) allowed_ = std::min(allowed_, configured_);
    limitSeen_ = taken > 0 ? taken : std::max(before, limitSeen_);
    complaint_ = 0;
    suspected_ = taken > quiet_ ? throttledShare() : 0;
    // Of few answers, or at rates that rose meanwhile, a measure is low.
    const bool isSure = quiet_ >= taken || (acceptedAnswers() >= sureOf && step_ < stepOfGuess);
    quiet_ = 0;
    previous_ = current_ = {};
    lastCut_ = now;
    lastRaise_ = now +
                 (taken <= 0 ? guessStays
                  : isSure   ? measuredStays
                             : unsureStays) -
                 seconds(1);
    step_ = taken > 0 ? firstStep : stepOfGuess;
    paidOff_ = std::max(paidOff_, now + burst());
}

// What was taken while hardly anything was offered is no measure.
double ThrottleControl::lowestCut() const {
    const double first = configured_ > 0 ? std::min(0.9 * configured_, noMeasure) : noMeasure;
    return std::max(1.0, isLowered() ? allowed_ / 2 : first);
}

// --- the way back ---------------------------------------------------------------------------

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

ThrottleControl ThrottleControl::at(nio::TimePoint now) const {
    ThrottleControl then = *this;
    then.recover(now);
    return then;
}

bool ThrottleControl::isLowered() const {
    return allowed_ > 0 && (configured_ <= 0 || allowed_ < configured_);
}

void ThrottleControl::raiseOnce() {
    const bool isUsed = std::exchange(isUsed_, false);
    if (isUsed && complaint_ < 1) quiet_ = allowed_;
    suspected_ = 0;
    allowed_ *= 1 + step_;
    if (allowed_ > pastLimit * limitSeen_)
        step_ = std::max(step_, std::min(2 * step_, largestStep));
    if (configured_ > 0) {
        allowed_ = std::min(allowed_, configured_);
    } else if (!isUsed && allowed_ > limitSeen_ * forget) {
        allowed_ = 0;
        limitSeen_ = 0;
    }
}

}  // namespace router
