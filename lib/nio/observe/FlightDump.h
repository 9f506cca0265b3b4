// Writes what the dispatchers of this process did last (see FlightRecorder.h) as lines of text: on
// a crash, when the watchdog finds a stall, when a signal asks for it, or when somebody calls. The
// lines are those that docs/diagnostics.md describes, and can be replayed on the simulated kernel.
//
// Nothing of the process is touched before install(): a program calls it in main, before it starts
// anything.
//
// A stack that has run out is a crash like others on the threads of dispatchers (run(), start())
// that begin after install(), and on the one that calls it first.
//
// Thread: any; write() in a signal handler too: it takes no lock and no memory.
// Lifetime: a Member lives as long as its recorder; it waits for a dump under way.
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
        // Appended to; a symbolic link is not followed. Empty, or not to be opened: standard error.
        std::string file{};
        bool onCrash = true;
        // Once in a minute at most.
        bool onStall = true;
        // 0: none.
        int signal = SIGUSR1;
    };
    static void install(const Options& options);

    // To where install() has said, else to standard error. `why` is one word.
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
