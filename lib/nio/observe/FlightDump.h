// Writes what the dispatchers of this process did last (see FlightRecorder.h) as lines of text: on
// a crash, a stall, a signal, or a call of write(). docs/diagnostics.md describes the lines; they
// can be replayed on the simulated kernel.
//
// Installs no signal handlers before install(), which a program calls in main, before it starts
// anything.
//
// A stack overflow is dumped, too, on the threads of dispatchers (run(), start()) that begin after
// install(), and on the thread that calls it first.
//
// Thread: any. write() is async-signal-safe: it takes no lock and allocates nothing.
// Lifetime: a Member lives as long as its recorder; its destructor waits for a dump in progress.
// Limit: the first mostDispatchers of a process are in the dump.
#pragma once

#include <atomic>
#include <csignal>
#include <string>

#include <nio/observe/FlightRecorder.h>

namespace nio {

class FlightLines;

class FlightDump {
  public:
    static constexpr std::size_t mostDispatchers = 1024;

    struct Options {
        // Appended to; a symbolic link is not followed. If it is empty or cannot be opened:
        // standard error.
        std::string file{};
        bool onCrash = true;
        // Once in a minute at most.
        bool onStall = true;
        // 0: none.
        int signal = SIGUSR1;
    };
    static void install(const Options& options);

    // Writes to the file of install(), else to standard error. `why` is one word.
    static void write(const char* why) noexcept;
    // The same for any descriptor.
    static void writeTo(int fd, const char* why) noexcept;
    // For the watchdog.
    static void stalled();

    class Member {
      public:
        Member(const FlightRecorder& recorder, const std::string& dispatcher);
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;
        ~Member();

        void write(FlightLines& lines) const noexcept;

      private:
        const FlightRecorder& recorder_;
        const std::string& dispatcher_;
        std::atomic<const Member*>* place_ = nullptr;
    };
};

}  // namespace nio
