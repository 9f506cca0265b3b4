#include <nio/connection/Closing.h>

#include <algorithm>

namespace nio {

namespace {

constexpr std::chrono::milliseconds notMoreOften{10};

}  // namespace

void Closing::useDeadline(DeadlineQueue& queue, UniqueFunction<void()> expired) {
    if (!deadline_) deadline_.emplace(queue, std::move(expired));
}

// A peer that does not answer our FIN has lost nothing: report no lost bytes.
void Closing::drain(const DrainOptions& options) {
    draining_ = true;
    lingerTime_ = std::min(lingerTime_, options.deadline / 4);
    if (lingers_) return awaitPeer(lingerTime_);
    quietPeriod_ = options.quietPeriod;
    readBudget_ = options.readBudgetBytes;
    graceEnd_ = Clock::after(std::min(options.grace, options.deadline / 2));
    deadline_->wakeAfter(quietPeriod_);
}

void Closing::spend(std::size_t bytes, bool ends) {
    readBudget_ -= std::min(readBudget_, bytes);
    if (!ends) return restartQuietPeriod();
    if (readBudget_ > 0) return awaitQuiet();
    readOnceMore_ = false;
    deadline_->wakeAfter(Clock::duration::zero());
}

void Closing::restartQuietPeriod() {
    readOnceMore_ = false;
    deadline_->wakeAfter(quietPeriod_);
}

// After the grace only the first input is a reason to read once more.
void Closing::awaitQuiet() {
    const TimePoint now = Clock::now();
    if (now < graceEnd_) readOnceMore_ = false;
    deadline_->wakeAt(std::min(now + quietPeriod_, std::max(now, graceEnd_)));
}

bool Closing::waitsForQuiet(bool busy) {
    if (busy) {
        deadline_->wakeAfter(std::max(quietPeriod_, notMoreOften));
        return true;
    }
    // Input may have arrived while this dispatcher was busy: read once before considering it quiet.
    if (std::exchange(readOnceMore_, true)) return false;
    deadline_->wakeAfter(Clock::duration::zero());
    return true;
}

void Closing::linger(std::chrono::milliseconds limit, std::size_t undelivered) {
    if (!lingers_) lingerEnd_ = Clock::after(limit);
    lingers_ = true;
    undelivered_ = undelivered;
    awaitPeer(lingerTime_);
}

// A drain has a deadline of its own.
void Closing::awaitPeer(std::chrono::milliseconds time) {
    const TimePoint when = Clock::after(time);
    deadline_->wakeAt(draining_ ? when : std::min(when, lingerEnd_));
}

// Closing now would reset a peer that still sends, and destroy output in the kernel's buffers.
// Output that the engine has sent since the last check is progress, too. A peer that reads its
// answers slowly gets all of the drain timeout, not a quarter.
bool Closing::waitsForPeer(bool unsent, std::size_t undelivered) {
    const bool mayWait = draining_ || Clock::now() < lingerEnd_;
    const std::size_t before = std::exchange(undelivered_, undelivered);
    const bool takesMore = mayWait && undelivered > 0 && undelivered != before;
    if (!takesMore && !(draining_ && unsent)) return false;
    awaitPeer(std::max(lingerTime_, notMoreOften));
    return true;
}

}  // namespace nio
