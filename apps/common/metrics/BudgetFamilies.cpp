#include "common/metrics/BudgetFamilies.h"

namespace apps {

void writeBudget(MetricsText& text, const nio::MemoryBudget* budget) {
    if (budget == nullptr) return;
    const nio::MemoryBudgetFigures now = budget->figures();
    const auto say = [&text](std::uint64_t value) { text.sample({}, value); };
    text.gauge("nio_memory_budget_bytes", "What all connections together may hold in buffers.");
    say(budget->options().bytes);
    text.gauge("nio_memory_budget_used_bytes", "What they hold.");
    say(now.bytes);
    text.gauge("nio_memory_budget_acts", "1: it does so now.");
    text.sample({{"action", "pause"}}, std::uint64_t{now.overload.pauses});
    text.sample({{"action", "refuse"}}, std::uint64_t{now.overload.refuses});
    text.sample({{"action", "drop"}}, std::uint64_t{now.overload.drops});
    text.counter("nio_memory_budget_paused", "Times that a connection was no longer read.");
    say(now.paused);
    text.counter("nio_memory_budget_refused", "Connections that were refused.");
    say(now.refused);
    text.counter("nio_memory_budget_dropped", "Connections that were dropped.");
    say(now.dropped);
}

}  // namespace apps
