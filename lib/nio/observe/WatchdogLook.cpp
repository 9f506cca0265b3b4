// The part of Watchdog that looks at one dispatcher.
#include <nio/base/Log.h>
#include <nio/base/TypeName.h>
#include <nio/observe/FlightDump.h>
#include <nio/observe/Watchdog.h>
#include <nio/sys/Kernel.h>

namespace nio {

namespace {

std::string handlerOf(const FlightRecorder::Record& record) {
    if (record.isCallback()) return typeName(record.handler());
    if (record.what == FlightRecorder::inTask) return "task";
    if (record.what == FlightRecorder::inDeadline) return "deadline";
    return record.what == FlightRecorder::inBurial ? "destructor" : "dispatcher";
}

std::string callbackOf(const FlightRecorder::Record& record) {
    return record.what == FlightRecorder::inTask ? "invokeLater" : record.what;
}

}  // namespace

// What began at a known time is due a limit after that; what begins after this look is seen by the
// next one before it is due.
std::optional<TimePoint> Watchdog::Watch::look(TimePoint now) {
    const FlightRecorder::Look seen = recorder_.look();
    const bool same =
        seen.number == last_.number && seen.tasks == last_.tasks && seen.selects == last_.selects;
    last_ = seen;
    if (seen.selects) return lookIdle(same, now);
    const std::optional<FlightRecorder::Record> running = recorder_.find(seen.number);
    if (!running) return now + limit_;
    if (!same) {
        since_ = beginningOf(*running, seen, now);
        // After something inside of it, it is another record.
        reported_ = running->goesOn && running->began == reportedBegan_;
    }
    if (reported_) return now + limit_;
    if (now - since_ < limit_) return since_ + limit_;
    reported_ = true;
    reportedBegan_ = running->began;
    try {
        report(*running, now);
    } catch (const std::bad_alloc&) {
        log(LogLevel::warning,
            "a callback exceeds the stall limit; out of memory, so its name is missing");
    }
    return now + limit_;
}

// A dispatcher that has not seen the flag when it left its select is found at work by the look
// after that: nobody needs a fence.
std::optional<TimePoint> Watchdog::Watch::lookIdle(bool same, TimePoint now) {
    if (!same) return now + limit_;
    if (asleep_.load(std::memory_order_relaxed)) return std::nullopt;
    asleep_.store(true, std::memory_order_relaxed);
    return now + limit_;
}

// Nobody asks the clock for each task: that of a later one is not known before it is seen.
TimePoint Watchdog::Watch::beginningOf(const FlightRecorder::Record& running,
                                       const FlightRecorder::Look& seen, TimePoint now) const {
    const bool isLaterTask =
        running.what == FlightRecorder::inTask && seen.tasks > running.detail + 1;
    if (isLaterTask) return now;
    const kernel::TickClock& clock = recorder_.clock();
    const auto ticks = static_cast<std::int64_t>(clock.now() - running.began);
    const auto lasts = clock.time(static_cast<kernel::Ticks>(std::max<std::int64_t>(ticks, 0)));
    return now - std::chrono::duration_cast<Clock::duration>(lasts);
}

void Watchdog::Watch::report(const FlightRecorder::Record& running, TimePoint now) {
    const auto lasts = std::chrono::duration_cast<std::chrono::milliseconds>(now - since_);
    const Stall stall{dispatcher_, handlerOf(running), callbackOf(running), connectionOf(running),
                      lasts};
    if (onStall_) {
        onStall_(stall);
    } else {
        logStall(stall, now);
    }
    FlightDump::stalled();
}

void Watchdog::Watch::logStall(const Stall& stall, TimePoint now) {
    if (const auto more = logLimit_.admit(now)) log(LogLevel::warning, stall.toString() + *more);
}

// A callback that has ended meanwhile may have closed the descriptor: then it is somebody else's.
std::string Watchdog::Watch::connectionOf(const FlightRecorder::Record& running) const {
    if (!running.isCallback()) return {};
    const std::string place = "slot " + std::to_string(running.slot) + ", descriptor " +
                              std::to_string(running.descriptor);
    const Result<SocketAddress> peer = kernel::peerAddress(running.descriptor);
    const FlightRecorder::Look still = recorder_.look();
    const bool known = peer && still.number == running.number && !still.selects;
    return known ? peer.value().toString() + " (" + place + ")" : place;
}

}  // namespace nio
