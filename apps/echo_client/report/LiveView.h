// The progress of a load, for a reader at a terminal or of a log.
//
// Thread: one at a time. Lifetime: the stream must outlive it.
#pragma once

#include <deque>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "echo_client/load/LoadObserver.h"

namespace load {

struct TerminalSize {
    std::size_t columns = 80;
    std::size_t rows = 24;

    bool operator==(const TerminalSize&) const = default;
};
using TerminalSizeOf = std::function<TerminalSize()>;

// On a terminal: a few lines, redrawn in place several times a second. They are never wider or
// higher than the terminal, so that a redraw never scrolls, and are erased when the load is over.
// A terminal that has been resized is cleared. Rows that are free show p50 and p99 over time and a
// histogram.
//
// Rates, percentiles and histogram are those of the last second; a curve has one column a sample.
class LiveScreen : public LoadObserver {
  public:
    LiveScreen(std::ostream& out, TerminalSizeOf size, bool colours)
        : out_(out), size_(std::move(size)), colours_(colours) {}
    LiveScreen(const LiveScreen&) = delete;
    LiveScreen& operator=(const LiveScreen&) = delete;
    ~LiveScreen() override { clear(); }

    nio::Clock::duration cadence() const override { return std::chrono::milliseconds(250); }
    void observed(const Sample& sample) override;
    void told(const std::string& line) override;
    void over() override { clear(); }

  private:
    void remember(const Sample& sample);
    std::vector<std::string> linesOf(TerminalSize size) const;
    void draw(const std::vector<std::string>& lines);
    void eraseIfResized(TerminalSize size);
    void clear();

    std::ostream& out_;
    const TerminalSizeOf size_;
    const bool colours_;
    std::deque<Sample> lastSecond_;
    std::deque<Point> curve_;  // a point for each sample
    bool shown_ = false;
    TerminalSize drawnFor_;
};

// Elsewhere: a line a second.
class ProgressLine : public LoadObserver {
  public:
    explicit ProgressLine(std::ostream& out) : out_(out) {}

    void observed(const Sample& sample) override;
    void told(const std::string& line) override;
    // Without program and newline.
    static std::string toString(const Sample& sample);

  private:
    std::ostream& out_;
};

// `descriptor` is that of both streams. A LiveScreen on a terminal (with colours unless NO_COLOR is
// set); a ProgressLine otherwise, and if TERM is "dumb" or missing.
std::unique_ptr<LoadObserver> makeLiveView(std::ostream& screen, std::ostream& lines,
                                           int descriptor);

}  // namespace load
