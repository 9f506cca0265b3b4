// What is shown while a load runs on a terminal: a few lines, redrawn in place several times a
// second. They are never wider or higher than the terminal, so that a redraw never scrolls, and are
// gone when the load is over: the cursor is where it was.
//
// Rates and percentiles are those of the last second; the curve has one column a sample.
//
// Thread: one at a time. Lifetime: of the stream longer.
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
};
using TerminalSizeOf = std::function<TerminalSize()>;

class LiveScreen : public LoadObserver {
  public:
    LiveScreen(std::ostream& out, TerminalSizeOf size, bool colours)
        : out_(out), size_(std::move(size)), colours_(colours) {}
    LiveScreen(const LiveScreen&) = delete;
    LiveScreen& operator=(const LiveScreen&) = delete;
    ~LiveScreen() override { clear(); }

    nio::Clock::duration cadence() const override { return std::chrono::milliseconds(250); }
    void observed(const Sample& sample) override;
    void over() override { clear(); }

  private:
    void remember(const Sample& sample);
    std::vector<std::string> linesOf(TerminalSize size) const;
    void draw(const std::vector<std::string>& lines);
    void clear();

    std::ostream& out_;
    const TerminalSizeOf size_;
    const bool colours_;
    std::deque<Sample> lastSecond_;
    std::deque<double> rates_;  // of each sample
    bool shown_ = false;
};

// What suits the descriptor that is behind both streams: a LiveScreen on a terminal (colours unless
// NO_COLOR is set), a ProgressLine elsewhere and where TERM is "dumb" or missing.
std::unique_ptr<LoadObserver> makeLiveView(std::ostream& screen, std::ostream& lines,
                                           int descriptor);

}  // namespace load
