// Writes whole lines to a descriptor without blocking a dispatcher.
//
// If the descriptor is blocked (a full pipe without an active reader, a stopped terminal), a line
// waits at most 50 ms, and at most 1 % of the time in the long run, so that a reader that is merely
// scheduled late misses nothing. After that the line is dropped and counted. The next successful
// line is preceded by one with the number of dropped lines; exit() makes a last attempt to write
// it. The lines with which a program ends wait up to 5 s, together.
//
// A line of up to 4,096 bytes is one write, so lines of different threads do not mix. Nothing is
// buffered between lines or allocated.
//
// Thread: any; not in a signal handler.
// Errors: a line that cannot be written (no reader, no space) is dropped and counted, too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace nio {

namespace kernel {

// A write to a descriptor that may block (a full pipe, a stopped terminal), with a timeout, and
// without O_NONBLOCK, since other processes may share the descriptor.
struct BoundedWrite {
    std::size_t bytes = 0;   // written
    bool isBlocked = false;  // timed out; false with fewer bytes: the write failed
};

// Any thread; async-signal-safe; preserves errno. Waits at most `milliseconds` in total; 0 does not
// wait. Up to 4,096 bytes are one write, except for more than 128 bytes to a terminal, which may
// accept a part.
BoundedWrite writeWithin(int fd, const char* bytes, std::size_t size, int milliseconds) noexcept;

}  // namespace kernel

class LineSink {
  public:
    // `name` names the descriptor in the line about dropped lines; null: no such line, see
    // dropped().
    LineSink(int fd, const char* name);
    LineSink(const LineSink&) = delete;
    LineSink& operator=(const LineSink&) = delete;

    // Writes the pieces of one line, including its newline. False: it was dropped, all or in part.
    bool write(std::initializer_list<std::string_view> pieces) noexcept;
    // The same for a last line before the program ends. Not on a dispatcher.
    bool writeAtEnd(std::initializer_list<std::string_view> pieces) noexcept;
    // Writes the number of dropped lines, if any, without waiting.
    void tellDropped() noexcept;
    // The number of lines dropped so far.
    std::uint64_t dropped() const noexcept;

  private:
    enum class Wait { no, aLittle, atEnd };

    bool write(std::initializer_list<std::string_view> pieces, Wait wait);
    bool tellDropped(Wait wait);
    bool put(std::initializer_list<std::string_view> pieces, Wait wait);
    bool flush(std::string_view bytes, Wait wait);

    const int fd_;
    const char* const name_;
    std::uint64_t dropped_ = 0;
    std::uint64_t told_ = 0;   // dropped lines already reported
    bool wasBlocked_ = false;  // when the last one was dropped
    bool isTorn_ = false;      // only a part of the last one was written
    std::chrono::nanoseconds patience_;
    std::chrono::nanoseconds patienceAtEnd_ = std::chrono::seconds(5);
    std::chrono::steady_clock::time_point patientAt_{};
};

// The standard streams of this process, used by the default logger and the programs.
LineSink& standardError() noexcept;
LineSink& standardOutput() noexcept;

}  // namespace nio
