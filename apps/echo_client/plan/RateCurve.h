// How many messages per second a load plans, over its time: one rate, or stages.
//
//     1k                 1,000 per second for ever
//     10s:1k,30s:5k      10 s at 1,000, then 30 s at 5,000
//     20s:0-9k,5s:0      a stage may rise or fall evenly; a rate of 0 is a pause
//
// Thread: any; not changed once made. Time is seconds since the load began.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nio/base/Result.h>

namespace load {

class RateCurve {
  public:
    static RateCurve constant(double perSecond);
    // Errors: std::errc::invalid_argument; context() is a sentence.
    static nio::Result<RateCurve> parseStages(const std::string& text);

    // When the message that so many (of all connections; parts count) precede is due: the inverse
    // of messagesBy(). During a pause nothing is: then it is its end. Infinite where the stages end
    // before.
    double timeOf(double messages) const;
    // How many are due before then.
    double messagesBy(double seconds) const;
    double rateAt(double seconds) const;
    // The mean over [from, to).
    double meanRate(double from, double to) const;

    // nanoseconds::max() for a constant rate: it never ends.
    std::chrono::nanoseconds length() const;
    bool hasStages() const { return hasStages_; }
    // As a reader would write it: "5k/s", "10s:1k,20s:0-9k".
    std::string toString() const;

  private:
    struct Stage {
        double begin;     // seconds
        double seconds;   // infinite for a constant rate
        double from, to;  // per second
        double before;    // messages due before it

        // In all; within so many seconds of it; and the other way round.
        double messages() const;
        double messagesBy(double time) const;
        double timeOf(double count) const;
    };

    void append(double seconds, double from, double to);
    const Stage& stageAt(double seconds) const;

    std::vector<Stage> stages_;
    bool hasStages_ = false;
};

}  // namespace load
