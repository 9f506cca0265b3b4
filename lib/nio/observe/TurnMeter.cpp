#include <nio/observe/TurnMeter.h>

#include <algorithm>

namespace nio {

// The clock first: a wait that ends after that look at it is not counted beyond its end, and what
// one that begins after it lacks, somebody may have been told already.
std::chrono::nanoseconds TurnMeter::selectTime() const {
    const kernel::Ticks now = clock_.now();
    const kernel::Ticks word = select_.read();
    const bool waits = (word & 1) != 0;
    const auto ticks = static_cast<std::int64_t>(waits ? now - word / 2 : word / 2);
    std::int64_t told = selectTold_.load(std::memory_order_relaxed);
    while (told < ticks &&
           !selectTold_.compare_exchange_weak(told, ticks, std::memory_order_relaxed)) {
    }
    return clock_.time(static_cast<kernel::Ticks>(std::max(told, ticks)));
}

void TurnMeter::read(DispatcherMetrics& into) const {
    into.selectTime = selectTime();
    into.callbackTime = clock_.time(callbackTicks_.read());
    into.callbackTimes = callbackTimes_.read();
    into.events = events_.read();
    into.eventsPerTurn = eventsPerTurn_.read();
    into.turns = into.eventsPerTurn.total();
    into.taskTime = clock_.time(taskTicks_.read());
    into.deadlinesExpired = deadlinesExpired_.read();
    std::transform(closes_.begin(), closes_.end(), into.closes.begin(),
                   [](const auto& count) { return count.read(); });
}

}  // namespace nio
