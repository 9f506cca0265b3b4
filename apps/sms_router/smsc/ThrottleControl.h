// How many messages per second a connector may send now, questions about them counted. At most what
// is configured; less when the SMSC says that it is too much, and step by step more again when it
// does not say so any more.
//
// Thread: one at a time. Time goes in.
#pragma once

#include <nio/sys/Clock.h>

namespace router {

class ThrottleControl {
  public:
    // 0: no limit, until the SMSC sets one.
    explicit ThrottleControl(double messagesPerSecond = 0) { configure(messagesPerSecond); }
    void configure(double messagesPerSecond);

    // True: a request with so many messages may leave, and they are counted. More than the burst at
    // once are paid off afterwards.
    bool take(nio::TimePoint now, unsigned messages = 1);
    // When take() is worth another try.
    nio::TimePoint next() const;
    // The SMSC answered anything else: it has taken the time.
    void accepted(nio::TimePoint now, unsigned messages = 1);
    // The SMSC answered ESME_RTHROTTLED or ESME_RMSGQFUL: from now on a little less than what it
    // did take in a second. But the first time no less than 45, or nine tenths of what is
    // configured if that is less; then half of what was allowed; and never less than one, unless
    // less is configured.
    void throttled(nio::TimePoint now);
    // Now; 0: no limit.
    double allowedPerSecond() const { return allowed_; }

  private:
    nio::Clock::duration interval() const;
    nio::Clock::duration burst() const;
    void measure(nio::TimePoint now);
    void recover(nio::TimePoint now);
    bool isLowered() const;
    double lowestCut() const;
    void raiseOnce();
    void payFaster(double than, nio::TimePoint now);

    double configured_ = 0;
    double allowed_ = 0;
    double limitSeen_ = 0;  // the rate at which the SMSC first complained
    nio::TimePoint paidOff_ = nio::TimePoint::min();
    nio::TimePoint lastCut_ = nio::TimePoint::min();
    nio::TimePoint lastRaise_ = nio::TimePoint::min();
    nio::TimePoint secondBegan_ = nio::TimePoint::min();
    double thisSecond_ = 0;  // accepted
    double lastSecond_ = 0;
};

}  // namespace router
