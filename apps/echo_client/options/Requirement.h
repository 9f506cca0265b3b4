// What a run must keep: a figure, a comparison and a bound, e.g. p99<2ms, errors=0, rate>=5k.
//
// Figures: p50 p90 p95 p99 p99.9 p99.99 (any pNN), min, mean, max: of the latency (latency.p99 is
// the same); service.p99, … of the service time; connect.p99, … of connecting; handshake.p99, …
// of TLS handshakes; lateness.p99, … of the send plan; rate (echoes per second), errors (all of
// them), lost, duplicated, reordered, corrupted, unsent. Comparisons: < <= = >= >. Times with a
// unit (a plain number is seconds); counts and rates without, or with k and M, rates also with /s.
// Or the figure of an earlier run: before, before+10%, before-10%.
//
// Thread: any; a value. Errors: std::errc::invalid_argument; context() is a sentence.
#pragma once

#include <string>
#include <vector>

#include <nio/base/Result.h>

namespace load {

struct LoadResult;

class Requirement {
  public:
    static nio::Result<Requirement> parse(const std::string& text);

    // Whether it is a latency (of any histogram), as --find-max wants it.
    bool isTime() const { return isTime_; }
    // Whether it is a number of things that went wrong.
    bool isCount() const { return !isTime_ && figure_ != "rate"; }
    // Whether it sets an upper bound: less is better.
    bool isUpperBound() const;
    // Of what only a send plan has: service.*, lateness.*.
    bool needsOpenLoop() const;
    // Of TLS handshakes: handshake.*.
    bool needsTls() const;
    // Whether it is about "errors": then how many there may be is said, and one is no failure.
    bool allowsErrors() const { return figure_ == "errors"; }
    // As it was written: "p99", "service.p99", "rate".
    const std::string& figure() const { return figure_; }
    // In the figure's unit: nanoseconds, or a number; 0 where it is relative.
    double bound() const { return bound_; }
    // Whether the bound is a part of the figure of an earlier run. Only the result of against()
    // can be met, then.
    bool isRelative() const { return beforeTimes_ > 0; }
    // With the bound that the earlier run's figure gives.
    Requirement against(double before) const;
    // The figure's value in the result: nanoseconds, or a number. Of an empty histogram: not a
    // number, which meets nothing. A message without an answer has an infinite latency and service
    // time. A percentile beyond the histogram's range is longer than 60 s and, since no more is
    // known of it, meets no bound but a lower one of 60 s or less.
    double valueIn(const LoadResult& result) const;
    bool isMetBy(double value) const;
    bool isMetBy(const LoadResult& result) const { return isMetBy(valueIn(result)); }
    // "p99 = 1.20 ms"; "p99 = 1.20 ms (before: 1.10 ms)".
    std::string describe(double value) const;
    // How many are unanswered where that makes it infinite.
    std::string describe(const LoadResult& result) const;
    // As it was written.
    const std::string& toString() const { return text_; }

  private:
    enum class Comparison { less, lessOrEqual, equal, greaterOrEqual, greater };

    bool isMetBeyondTheRange() const;
    nio::Result<double> parseBound(const std::string& text);
    std::string show(double value) const;

    std::string text_;
    std::string figure_;
    Comparison comparison_ = Comparison::less;
    double bound_ = 0;
    double before_ = 0;       // the figure of the earlier run
    double beforeTimes_ = 0;  // the bound is so much of it; 0: the bound is absolute
    bool isTime_ = false;
};

}  // namespace load
