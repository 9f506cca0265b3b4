#include <nio/memory/MemoryAccount.h>

#include <algorithm>

#include <nio/base/Log.h>

namespace nio {

namespace {

// How soon the log may say another change.
constexpr std::chrono::seconds betweenChanges{1};

std::string describe(const Overload& overload) {
    std::string text;
    const auto add = [&text](bool isOn, const char* what) {
        if (isOn) text += (text.empty() ? "" : ", ") + std::string(what);
    };
    add(overload.pauses, "reads paused on connections with pending output");
    add(overload.refuses, "new connections refused");
    add(overload.drops, "largest buffer holders evicted");
    add(!overload.any(), "no limits in force");
    return text;
}

}  // namespace

MemoryAccount::MemoryAccount(const std::string& dispatcher, DeadlineQueue& deadlines,
                             std::shared_ptr<TaskQueue> queue, std::shared_ptr<MemoryBudget> budget)
    : dispatcher_(dispatcher),
      queue_(std::move(queue)),
      budget_(std::move(budget)),
      nextLook_(deadlines, [this] {
          onDispatcher.assertCurrent();
          look();
      }) {
    if (budget_ != nullptr) share_ = &budget_->join([this] { return alarm(); });
}

MemoryAccount::~MemoryAccount() {
    if (budget_ != nullptr) budget_->leave(*share_);
}

void MemoryAccount::retire() {
    if (budget_ != nullptr) share_->act(acts_ = overload_ = {});
}

// An action has begun on another dispatcher. Thread: any. A dispatcher that has stopped need not
// look.
bool MemoryAccount::alarm() {
    const Result<void> posted = queue_->pushOrRefuse([this] {
        onDispatcher.assertCurrent();
        lookNow();
    });
    return posted || !posted.error().is(std::errc::not_enough_memory);
}

// Also one that shrinks looks after `step` more: others may have grown meanwhile.
void MemoryAccount::changed() {
    const std::size_t bytes = ledger_.sum();
    share_->bytes.store(bytes, std::memory_order_relaxed);
    share_->evictFirst.store(ledger_.evictFirst(), std::memory_order_relaxed);
    if (bytes >= lookAt_) return look();
    lookAt_ = std::min(lookAt_, bytes + MemoryBudget::step);
}

void MemoryAccount::look() {
    const Overload before = overload_;
    lookNow();
    const bool begins = (overload_.pauses && !before.pauses) ||
                        (overload_.refuses && !before.refuses) ||
                        (overload_.drops && !before.drops);
    owesAlert_ = (owesAlert_ || begins) && overload_.any();
    if (owesAlert_) owesAlert_ = !budget_->alert(*share_);
}

void MemoryAccount::lookNow() {
    lookAt_ = ledger_.sum() + MemoryBudget::step;
    const Overload before = overload_;
    sum_ = budget_->sum();
    overload_ = budget_->judge(sum_, before);
    acts_ = overload_;
    acts_.drops |= refusesForTooLong(before.refuses);
    acts_.drops |= overload_.refuses && sum_.evictFirst > 0;
    share_->act(acts_);
    if (overload_.pauses != before.pauses) pausingChanged_ = true;
    due_ = pausingChanged_ || mustDrop();
    tellIfChanged();
    const bool anyoneActs = overload_.any() || budget_->figures().overload.any();
    if (!anyoneActs && told_ == acts_) return nextLook_.cancel();
    if (nextLook_.isSet()) return;
    try {
        nextLook_.wakeAfter(options().lookInterval);
    } catch (const std::bad_alloc&) {
        lookAt_ = 0;  // at each change
    }
}

bool MemoryAccount::refusesForTooLong(bool before) {
    if (!overload_.refuses || options().dropAfter == std::chrono::milliseconds::zero())
        return false;
    const TimePoint now = Clock::now();
    if (!before) {
        refusesSince_ = now;
        refusedBefore_ = budget_->refused();
    }
    return now - refusesSince_ >= Clock::bounded(options().dropAfter) &&
           budget_->refused() > refusedBefore_;
}

bool MemoryAccount::mustDrop() const {
    const std::size_t bytes = ledger_.sum();
    if (!acts_.drops || ledger_.ofChannels() == 0) return false;
    const std::size_t marked = ledger_.evictFirst();
    // Others have some that go before ours.
    if (sum_.evictFirst > 0 && marked == 0) {
        return budget_->isOverdrawn(sum_.bytes - sum_.evictFirst);
    }
    if (budget_->isOverdrawn(sum_.bytes)) return true;
    return sum_.evictFirst > 0 ? marked >= sum_.evictFirst / sum_.evictFirstHolders
                               : bytes >= sum_.bytes / sum_.holders;
}

void MemoryAccount::countDropped(std::size_t bytes, UniqueFunction<std::string()> holder) try {
    MemoryBudget::Share::increment(share_->dropped);
    if (const auto more = dropLines_.admit(Clock::now())) {
        say("evicted " + holder() + ", which held " + std::to_string(bytes) + " bytes" + *more);
    }
} catch (const std::bad_alloc&) {
    log(LogLevel::warning, "memory budget: evicted a connection");
}

// What it says last is how it is: a change that came too soon is said by a later look.
void MemoryAccount::tellIfChanged() try {
    if (acts_ == told_) return;
    const TimePoint now = Clock::now();
    if (toldAt_ != TimePoint{} && now - toldAt_ < betweenChanges) return;
    told_ = acts_;
    toldAt_ = now;
    say(std::to_string(sum_.bytes + sum_.posted) + " of " + std::to_string(options().bytes) +
        " bytes used: " + describe(acts_));
} catch (const std::bad_alloc&) {
    log(LogLevel::warning, "memory budget: the limits in force have changed");
}

void MemoryAccount::say(const std::string& what) const {
    log(LogLevel::warning, "memory budget (" + dispatcher_ + "): " + what);
}

}  // namespace nio
