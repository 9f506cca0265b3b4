// Where a worker's connections count: an answer goes to the measured figures or to those outside.
//
// Thread: the dispatcher's own. Lifetime: that of the worker.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "echo_client/figures/LoadFigures.h"

namespace load {

class Tally {
  public:
    explicit Tally(bool openLoop, nio::Clock::duration answerTimeout = nio::Clock::duration::max())
        : openLoop_(openLoop), answerTimeout_(answerTimeout) {}

    // What is measured from now on: [from, to).
    void measure(nio::TimePoint from, nio::TimePoint to) {
        from_ = from;
        to_ = to;
    }

    void sent() { ++figures_->sent; }
    // A planned message was sent, this late through nothing but the generator.
    void late(nio::TimePoint planned, nio::Clock::duration lateness) {
        if (isMeasured(planned)) figures_->lateness.record(lateness);
    }
    // A planned message was sent late: --pipeline messages were in flight until then.
    void held(nio::TimePoint planned) { figures_->held += isMeasured(planned); }
    // A planned message was sent late: its connection was down until then.
    void offline(nio::TimePoint planned) { figures_->offline += isMeasured(planned); }
    void unsent(std::uint64_t messages) { figures_->unsent += messages; }
    void answered(nio::TimePoint planned, nio::TimePoint sent, nio::TimePoint now,
                  std::size_t bytes) {
        ++figures_->answered;
        figures_->answeredBytes += bytes;
        if (isMeasured(now)) {
            ++figures_->inTime;
            figures_->bytes += bytes;
        }
        if (!isMeasured(openLoop_ ? planned : now)) return figures_->outside.record(now - planned);
        figures_->latency.record(now - planned);
        if (openLoop_) figures_->service.record(now - sent);
    }
    // Whether an answer that comes now has timed out, also where nobody has given it up yet.
    bool isOverdue(nio::TimePoint sent, nio::TimePoint now) const {
        return now - std::max(sent, runsSince_) > answerTimeout_;
    }
    // This dispatcher made no turn from then to then: no answer could be read. What was sent before
    // has its time anew.
    void stoodStill(nio::TimePoint from, nio::TimePoint to) {
        runsSince_ = to;
        if (to <= from_ || from >= to_) return;
        figures_->stoodStill = std::max(figures_->stoodStill, to - from);
    }
    // What was sent before is overdue now.
    nio::TimePoint overdueBefore(nio::TimePoint now) const {
        const nio::TimePoint limit = now - answerTimeout_;
        return limit > runsSince_ ? limit : nio::TimePoint::min();
    }
    // Nobody waits any more for the answer to what was planned then.
    void unanswered(nio::TimePoint planned) { figures_->unanswered += isMeasured(planned); }
    LoadErrors& errors() { return figures_->errors; }
    LoadFigures& figures() { return *figures_; }

    nio::TimePoint from() const { return from_; }
    nio::TimePoint to() const { return to_; }
    bool isMeasured(nio::TimePoint when) const { return when >= from_ && when < to_; }
    std::unique_ptr<LoadFigures> handOver() {
        return std::exchange(figures_, std::make_unique<LoadFigures>());
    }

  private:
    const bool openLoop_;
    const nio::Clock::duration answerTimeout_;
    nio::TimePoint from_ = nio::TimePoint::max();
    nio::TimePoint to_ = nio::TimePoint::max();
    nio::TimePoint runsSince_ = nio::TimePoint::min();
    std::unique_ptr<LoadFigures> figures_ = std::make_unique<LoadFigures>();
};

}  // namespace load
