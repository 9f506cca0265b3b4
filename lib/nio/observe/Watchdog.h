// Looks at dispatchers from a timer thread, and reports a callback that runs for too long: once per
// callback, while it runs.
//
// One thread serves all dispatchers of the process; it lives while one of them is watched. It looks
// once per limit while there is work, and sleeps while there is none. It is none of Timers: those
// are a program's own, and an expiry never runs on their thread.
//
// Thread: turns() the dispatcher's; Duty that of its run().
// Lifetime: what is watched must outlive the Watch. The end of a Duty waits for a report under way:
// onStall must not end the dispatcher that it is told about, nor wait for anybody who starts or
// ends one.
// Errors: where there is no thread to be had, nothing is watched, and a warning says so.
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

// A callback that runs for too long: while it runs, nobody else of that dispatcher is served.
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
        // An empty onStall logs a warning, one in a second at most. A limit of zero: nobody looks.
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

        // For the watchdog's thread. When it wants to look again; absent: when turns() says so.
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
        // The dispatcher is idle and not looked at: it must say when it has something to do.
        std::atomic<bool> asleep_{false};
        FlightRecorder::Look last_{};
        TimePoint since_{};  // what ran at the last look began then, or later
        bool reported_ = false;
        kernel::Ticks reportedBegan_ = 0;  // of who was reported last
        LogLimiter logLimit_;
    };

    // While it lives, the watch is looked at.
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
