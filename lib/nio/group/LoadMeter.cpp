#include <nio/group/LoadMeter.h>

#include <algorithm>

#include <nio/loop/SelectorThread.h>

namespace nio {

const std::vector<double>& LoadMeter::look(DealingRule::Threads threads) {
    const bool first = busy_.size() != threads.size();
    busy_.resize(threads.size());
    shares_.resize(threads.size());
    const TimePoint now = Clock::now();
    const double passed = static_cast<double>((now - lookedAt_).count());
    lookedAt_ = now;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        const auto busy = threads[i]->life().busyTime();
        const auto used = static_cast<double>((busy - busy_[i]).count());
        busy_[i] = busy;
        shares_[i] = first || passed <= 0 ? 0 : std::clamp(used / passed, 0.0, 1.0);
    }
    return shares_;
}

Clock::duration LoadMeter::age() const {
    return lookedAt_ == TimePoint{} ? Clock::duration::max() : Clock::now() - lookedAt_;
}

}  // namespace nio
