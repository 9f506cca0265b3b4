// Looks at dispatchers from a timer thread, and reports a callback that runs for too long: once per
// callback, while it runs.
//
// One thread serves all dispatchers of the process; it lives while one of them is watched. It looks
// once per limit while there is work, and sleeps while there is none. It does not use Timers, whose
// expiries never run on the timer thread.
//
// Thread: turns() the dispatcher's; Duty that of its run().
// Lifetime: what is watched must outlive the Watch. ~Duty waits for a report in progress, so
// onStall must neither end the dispatcher that it is told about nor wait for a thread that starts
// or ends a dispatcher.
// Errors: if its thread cannot be created, nothing is watched and a warning is logged.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nio/observe/FlightRecorder.h>
#include <nio/sys/LogLimiter.h>

namespace nio {

// A callback that runs for too long. Meanwhile its dispatcher serves no other connection.
struct Stall {
    std::string dispatcher;
    std::string handler;     // its type; "task" or "deadline" where there is none
    std::string callback;    // "handleRead", "invokeLater", …
    std::string connection;  // "127.0.0.1:4242 (slot 3, descriptor 9)"; empty where there is none
    std::chrono::milliseconds lasts{0};  // so far, at least

    // "dispatcher nio-1: Echo::handleRead of 127.0.0.1:4242 (slot 3, descriptor 9) has been running
    // for 104 ms".
    std::string toString() const;
};

class Watchdog {
  public:
    using OnStall = std::function<void(const Stall&)>;

    class Watch {
      public:
        // An empty onStall logs a warning, one in a second at most. A limit of zero disables the
        // watchdog.
        Watch(const FlightRecorder& recorder, const std::string& dispatcher,
              std::chrono::milliseconds limit, const OnStall& onStall)
            : recorder_(recorder),
              dispatcher_(dispatcher),
              limit_(Clock::bounded(limit)),
              onStall_(onStall) {}
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

        // After each select.
        void turns() {
            if (asleep_.load(std::memory_order_relaxed)) [[unlikely]]
                wake();
        }

        // For the watchdog's thread. Returns when to look again; absent: when turns() wakes it.
        std::optional<TimePoint> look(TimePoint now);
        bool isOn() const { return limit_.count() > 0; }

      private:
        [[gnu::cold]] void wake();
        TimePoint beginningOf(const FlightRecorder::Record& running,
                              const FlightRecorder::Look& seen, TimePoint now) const;
        std::optional<TimePoint> lookIdle(bool same, TimePoint now);
        void report(const FlightRecorder::Record& running, TimePoint now);
        void logStall(const Stall& stall, TimePoint now);
        std::string connectionOf(const FlightRecorder::Record& running) const;

        const FlightRecorder& recorder_;
        const std::string& dispatcher_;
        const Clock::duration limit_;
        const OnStall& onStall_;
        // The dispatcher is idle and not watched: turns() must wake the watchdog.
        std::atomic<bool> asleep_{false};
        FlightRecorder::Look last_{};
        TimePoint since_{};  // what ran at the last look began then, or later
        bool reported_ = false;
        kernel::Ticks reportedBegan_ = 0;  // of the callback reported last
        LogLimiter logLimit_;
    };

    // Enables the watch while it lives.
    class Duty {
      public:
        explicit Duty(Watch& watch);
        Duty(const Duty&) = delete;
        Duty& operator=(const Duty&) = delete;
        ~Duty();

      private:
        Watch& watch_;
        bool begun_ = false;
    };
};

}  // namespace nio
