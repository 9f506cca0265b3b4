// What stands for the system in the explorer's program: events, the clock, the wait of a spin lock,
// and a selector that sleeps until its event is signalled.

#include "model/Instrument.h"

#include <nio/selector/Selector.h>
#include <nio/sys/Backoff.h>
#include <nio/sys/Clock.h>
#include <nio/sys/Kernel.h>
#include <nio/sys/Ticks.h>

#include "model/KernelStandIn.h"

namespace model {

Kernel& theKernel() {
    static Kernel kernel;
    return kernel;
}

}  // namespace model

namespace nio {

using model::Explorer;
using model::theKernel;

namespace kernel {

Result<UniqueFd> createEvent() {
    return UniqueFd();
}
void signalEvent(int) noexcept {
    Explorer::step("signal");
    theKernel().isSignalled = true;
    ++theKernel().signals;
    Explorer::changed();
}
void clearEvent(int) noexcept {}
// Each look takes its time.
TimePoint now() noexcept {
    theKernel().now += std::chrono::nanoseconds(10);
    return TimePoint(theKernel().now);
}
void close(int) noexcept {}
void sleepFor(std::chrono::nanoseconds time) noexcept {
    Explorer::step("pause");
    theKernel().now += time;
}
void yieldCpu() noexcept {
    Explorer::step("yield");
}
TickClock TickClock::best() {
    return {};
}

}  // namespace kernel

// Whoever spins waits for somebody else to change something.
void Backoff::pause() noexcept {
    ++attempt_;
    const std::size_t seen = Explorer::changes();
    Explorer::waitUntil("spin", [seen] { return Explorer::changes() != seen; });
}

// Of the selector only its wait is looked at.
Result<std::span<SelectionKey* const>> Selector::select(kernel::WaitTime time) {
    const Result<void> waited = wait(time);
    if (!waited) return waited.error();
    return std::span<SelectionKey* const>();
}
bool Selector::detach(SelectionKey&) {
    return true;
}
void Selector::noteUnread(SelectionKey&) {}

}  // namespace nio
