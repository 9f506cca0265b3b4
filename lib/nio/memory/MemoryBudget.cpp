#include <nio/memory/MemoryBudget.h>

#include <algorithm>

#include <nio/base/Error.h>

namespace nio {

namespace {

MemoryBudgetOptions checked(const MemoryBudgetOptions& options) {
    const auto isFraction = [](double value) { return value >= 0 && value <= 1; };
    const bool fractions = isFraction(options.pauseAt) && isFraction(options.refuseAt) &&
                           isFraction(options.dropAt) && isFraction(options.easeBy);
    const bool possible = options.bytes > 0 && options.maxDropsAtOnce > 0 &&
                          options.lookInterval >= std::chrono::milliseconds(1);
    if (!fractions || !possible) Error(std::errc::invalid_argument, "MemoryBudgetOptions").raise();
    return options;
}

}  // namespace

MemoryBudget::MemoryBudget(const MemoryBudgetOptions& options) : options_(checked(options)) {}

MemoryBudgetFigures MemoryBudget::figures() const {
    MemoryBudgetFigures all;
    all.bytes = posted_.load(std::memory_order_relaxed);
    visit([&all](const Share& share) {
        all.bytes += share.bytes.load(std::memory_order_relaxed);
        const Overload acts = share.acts();
        all.overload.pauses |= acts.pauses;
        all.overload.refuses |= acts.refuses;
        all.overload.drops |= acts.drops;
        all.paused += share.paused.load(std::memory_order_relaxed);
        all.refused += share.refused.load(std::memory_order_relaxed);
        all.dropped += share.dropped.load(std::memory_order_relaxed);
    });
    return all;
}

MemoryBudget::Sum MemoryBudget::sum() const {
    Sum all;
    all.posted = posted_.load(std::memory_order_relaxed);
    visit([&all](const Share& share) {
        const std::size_t bytes = share.bytes.load(std::memory_order_relaxed);
        const std::size_t evictFirst = share.evictFirst.load(std::memory_order_relaxed);
        all.bytes += bytes;
        all.holders += bytes > 0;
        all.evictFirst += evictFirst;
        all.evictFirstHolders += evictFirst > 0;
    });
    return all;
}

Overload MemoryBudget::judge(const Sum& sum, const Overload& before) const {
    const std::size_t used = sum.bytes + sum.posted;
    return {isOn(options_.pauseAt, used, before.pauses),
            isOn(options_.refuseAt, used, before.refuses),
            isOn(options_.dropAt, sum.bytes, before.drops)};
}

bool MemoryBudget::isOn(double fraction, std::size_t bytes, bool before) const {
    if (fraction == 0) return false;
    const double mark = before ? std::max(fraction - options_.easeBy, 0.0) : fraction;
    const double used = static_cast<double>(bytes) / static_cast<double>(options_.bytes);
    // With nothing buffered there is nothing to wait for.
    return bytes > 0 && used >= mark;
}

MemoryBudget::Share& MemoryBudget::join(UniqueFunction<bool()> alarm) {
    std::lock_guard lock(mutex_);
    const auto free = std::find_if(shares_.begin(), shares_.end(),
                                   [](const auto& share) { return !share->alarm; });
    if (free != shares_.end()) {
        (*free)->alarm = std::move(alarm);
        return **free;
    }
    Share& made = *shares_.emplace_back(std::make_unique<Share>());
    made.alarm = std::move(alarm);
    made.next = first_.load(std::memory_order_relaxed);
    first_.store(&made, std::memory_order_release);
    return made;
}

void MemoryBudget::leave(Share& share) {
    std::lock_guard lock(mutex_);
    share.bytes.store(0, std::memory_order_relaxed);
    share.evictFirst.store(0, std::memory_order_relaxed);
    share.act({});
    share.alarm = {};
}

bool MemoryBudget::alert(const Share& from) {
    std::lock_guard lock(mutex_);
    bool heard = true;
    for (const auto& share : shares_) {
        if (share.get() != &from && share->alarm) heard &= share->alarm();
    }
    return heard;
}

}  // namespace nio
