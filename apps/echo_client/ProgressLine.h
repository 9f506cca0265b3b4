// What is shown while a load runs: on a terminal one line, rewritten in place; elsewhere a line
// each time.
//
// Thread: one at a time. Lifetime: of the stream longer. The destructor ends the line.
#pragma once

#include <iosfwd>
#include <string>

#include <nio/sys/Clock.h>

#include "echo_client/LatencyHistogram.h"

namespace load {

struct Progress {
    bool connecting = true;
    std::size_t made = 0;  // connections
    std::size_t asked = 0;
    double percent = 0;  // of the time with load
    nio::Clock::duration interval{0};
    std::size_t messageBytes = 0;
    LatencyHistogram latency;  // of the echoes in the interval
    std::size_t errors = 0;

    std::string toString() const;
};

class ProgressLine {
  public:
    ProgressLine(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() { clear(); }

    void show(const Progress& progress);
    // Makes room on a terminal for other output.
    void clear();

  private:
    std::ostream& out_;
    const bool terminal_;
    bool shown_ = false;
};

}  // namespace load
