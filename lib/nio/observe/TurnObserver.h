// Watches one dispatcher's turns: a hook for each thing that happens feeds the flight recorder, the
// turn meter and the watchdog. A hook costs a few plain stores, and most read the clock once.
//
// Thread: the dispatcher's own, unless recorder() and meter() say otherwise.
// Lifetime: `dispatcher`, `io` and `onStall` must outlive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <nio/observe/FlightDump.h>
#include <nio/observe/FlightRecorder.h>
#include <nio/observe/TurnMeter.h>
#include <nio/observe/Watchdog.h>

namespace nio {

class TurnObserver {
  public:
    TurnObserver(const std::string& dispatcher, std::size_t records, const IoCounters& io,
                 std::chrono::milliseconds stallLimit, const Watchdog::OnStall& onStall)
        : recorder_(records, io),
          dumped_(recorder_, dispatcher),
          watch_(recorder_, dispatcher, stallLimit, onStall) {}

    // A turn that does not follow the last one at once.
    void resumes() { meter_.goesOn(); }

    void tasksBegin(std::size_t waiting) { recorder_.tasksBegin(waiting, meter_.last()); }
    void taskBegins() { recorder_.taskBegins(); }
    void tasksEnd() { meter_.tasksEnded(); }

    void deadlineBegins() { begins(FlightRecorder::inDeadline); }
    void deadlineEnds() { meter_.deadlineExpired(); }

    void callbackBegins(const FlightRecorder::Callee& callee, const char* callback) {
        recorder_.begins(callee, callback, meter_.last());
    }
    void callbackEnds() { meter_.callbackEnded(); }

    void selectBegins() {
        meter_.selects();
        recorder_.selects();
    }
    void selectEnds(std::size_t events) {
        meter_.selected(events);
        recorder_.turns(events, meter_.last());
        watch_.turns();
    }

    void burialBegins() { begins(FlightRecorder::inBurial); }
    void burialEnds() { meter_.other(); }

    FlightRecorder& recorder() { return recorder_; }
    TurnMeter& meter() { return meter_; }
    const TurnMeter& meter() const { return meter_; }
    Watchdog::Watch& watch() { return watch_; }

  private:
    void begins(const char* what) { recorder_.begins(what, 0, 0, meter_.last()); }

    FlightRecorder recorder_;
    const FlightDump::Member dumped_;
    Watchdog::Watch watch_;
    TurnMeter meter_;
};

}  // namespace nio
