#include "common/metrics/BudgetFamilies.h"

namespace apps {

void writeBudget(MetricsText& text, const nio::MemoryBudget* budget) {
    if (budget == nullptr) return;
    const nio::MemoryBudgetFigures now = budget->figures();
    const auto say = [&text](std::uint64_t value) { text.sample({}, value); };
    text.gauge("nio_memory_budget_bytes", "Limit of the buffer memory of all connections.");
    say(budget->options().bytes);
    text.gauge("nio_memory_budget_used_bytes", "Buffer memory in use.");
    say(now.bytes);
    text.gauge("nio_memory_budget_acts", "1: the action is in force.");
    text.sample({{"action", "pause"}}, std::uint64_t{now.overload.pauses});
    text.sample({{"action", "refuse"}}, std::uint64_t{now.overload.refuses});
    text.sample({{"action", "drop"}}, std::uint64_t{now.overload.drops});
    text.counter("nio_memory_budget_paused", "Times that reads of a connection were paused.");
    say(now.paused);
    text.counter("nio_memory_budget_refused", "Connections refused.");
    say(now.refused);
    text.counter("nio_memory_budget_dropped", "Connections evicted.");
    say(now.dropped);
}

}  // namespace apps
