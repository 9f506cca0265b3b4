// How many messages per second a connector may send now, questions about them counted. At most what
// is configured; less while the SMSC refuses too large a share of them as too many.
//
// Some SMSCs throttle for reasons of their own (a limit per sender, say), whatever the rate: 3 % of
// the answers are tolerated, and more if a cut leaves most of the throttled share as it was (two
// cuts, if that is over a fifth). Beyond that the rate is cut to what the SMSC has taken, or halved
// if most answers are throttled and that is not known. After 18 s, or 5 s if the measure may be
// low, it is raised every second: by a hundredth up to a tenth more than what was taken, then each
// time by twice as much, up to a fifth. A rate that was halved is raised after 2 s, by a half.
//
// Towards a token bucket of r messages per second it settles within 30 s (90 s if the bucket holds
// a single token): from then on the SMSC takes 0.95 r and more in a minute, for r from 10 to 1,000.
//
// Thread: one at a time. Time goes in.
#pragma once

#include <nio/sys/Clock.h>

namespace router {

class ThrottleControl {
  public:
    // 0: no limit, until the SMSC sets one; not adaptive: it sets none.
    explicit ThrottleControl(double messagesPerSecond = 0, bool isAdaptive = true);

    // True: a request with so many messages may leave, and they are counted. More than the burst at
    // once are paid off afterwards.
    bool take(nio::TimePoint now, unsigned messages = 1);
    // When take() is worth another try.
    nio::TimePoint next() const;
    // Answers to what left at `sent`: ESME_RTHROTTLED or ESME_RMSGQFUL, or anything else. What left
    // before the last cut, and in the second after it, does not count. The first cut goes to no
    // less than 45, or nine tenths of what is configured if that is less; a later one to no less
    // than half of what was allowed; and none to less than one, unless less is configured.
    void accepted(nio::TimePoint sent, unsigned messages = 1);
    void throttled(nio::TimePoint sent, nio::TimePoint now);
    // Now; 0: no limit.
    double allowedPerSecond() const { return allowed_; }
    // By throttling: less is allowed than is configured, until it is raised.
    bool isLowered() const;
    nio::TimePoint nextRaise() const { return lastRaise_ + std::chrono::seconds(1); }
    // As take() would find it then.
    ThrottleControl at(nio::TimePoint now) const;

  private:
    // Answers to what was sent in a stretch of time.
    struct Stretch {
        nio::TimePoint begin = nio::TimePoint::min();
        nio::TimePoint end = nio::TimePoint::min();
        double accepted = 0;
        double throttled = 0;

        double answers() const { return accepted + throttled; }
        double span() const;  // seconds
    };

    nio::Clock::duration interval() const;
    nio::Clock::duration burst() const;
    bool counts(nio::TimePoint sent);
    void stretchEnds();
    double tolerated() const;
    double takenPerSecond() const;
    double acceptedAnswers() const;
    double throttledShare() const;
    void cut(nio::TimePoint now);
    double lowestCut() const;
    void recover(nio::TimePoint now);
    void raiseOnce();
    void payFaster(double than, nio::TimePoint now);

    double configured_;
    bool isAdaptive_;
    double allowed_;
    double limitSeen_ = 0;   // what the SMSC took when it complained
    double step_ = 0;        // of the next raise
    double complaint_ = 0;   // how many more were throttled than are tolerated
    double background_ = 0;  // the share that is throttled whatever the rate
    double quiet_ = 0;       // the last rate that was used up without a complaint
    bool isUsed_ = false;    // all that is allowed was sent, since the last raise
    // The throttled share before the last cut, until it is measured after it, too: what does not
    // fall with the rate is background. 0: no measurement.
    double suspected_ = 0;
    int unmoved_ = 0;  // cuts that left it about as it was, since one that did not
    Stretch current_;
    Stretch previous_;
    nio::TimePoint paidOff_ = nio::TimePoint::min();
    nio::TimePoint lastCut_ = nio::TimePoint::min();
    nio::TimePoint lastRaise_ = nio::TimePoint::min();
};

}  // namespace router
