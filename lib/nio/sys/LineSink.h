// A descriptor that takes whole lines and never blocks a dispatcher.
//
// A line that a blocked descriptor does not take (a full pipe without an active reader, a stopped
// terminal) waits for it: 50 ms at most, and 1 % of the time in the long run, so that a reader that
// is merely slow to be scheduled misses nothing. After that the line is dropped and counted. The
// next line that is taken follows one that says how many were dropped; at exit() there is a last
// attempt to say so.
//
// A line of up to 4,096 bytes is one write: lines of threads do not mix. Nothing is buffered from
// line to line, and no memory is allocated.
//
// Thread: any; not in a signal handler.
// Errors: a line that cannot be written (no reader, no space) is dropped and counted as well.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace nio {

class LineSink {
  public:
    // `name` says in the line about dropped ones what was blocked; a null pointer: there is no such
    // line, see dropped().
    LineSink(int fd, const char* name);
    LineSink(const LineSink&) = delete;
    LineSink& operator=(const LineSink&) = delete;

    // The pieces of one line in order, its newline too. False: it was dropped, or its end was.
    bool write(std::initializer_list<std::string_view> pieces) noexcept;
    // Says how many lines were dropped, if there is something to say, without waiting.
    void tellDropped() noexcept;
    // All that were dropped so far.
    std::uint64_t dropped() const noexcept;

  private:
    enum class Wait { no, aLittle };

    bool tellDropped(Wait wait);
    bool put(std::initializer_list<std::string_view> pieces, Wait wait);
    bool flush(std::string_view bytes, Wait wait);

    const int fd_;
    const char* const name_;
    std::uint64_t dropped_ = 0;
    std::uint64_t told_ = 0;   // of those
    bool wasBlocked_ = false;  // when the last one was dropped
    bool isTorn_ = false;      // only a part of the last one was written
    std::chrono::nanoseconds patience_;
    std::chrono::steady_clock::time_point patientAt_{};
};

// Of this process. The default logger and the programs write their lines here.
LineSink& standardError() noexcept;
LineSink& standardOutput() noexcept;

}  // namespace nio
