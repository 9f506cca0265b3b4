// Keep-alive of a bound session: enquire_link after a silence, and the end of a session that has
// carried no message for too long.
//
// While the peer is held (we do not read from it) neither timer counts against it.
//
// Thread: one at a time.
// Lifetime: the clock must outlive it.
// Source: SMPP 3.4, 2.9 and 7.2.
#pragma once

#include <cstdint>

#include <smpp/session/SessionClock.h>

namespace smpp {

class KeepAlive {
  public:
    explicit KeepAlive(SessionClock& clock) : clock_(clock) {}

    void start(Time now) {
        clock_.start(Timer::silence, now);
        clock_.start(Timer::inactivity, now);
    }
    // For an unbind: it proves that its sender is alive, and nothing may be sent after it.
    void stop();

    // A PDU of the peer came.
    void heard(Time now) {
        if (!isHeld_) clock_.start(Timer::silence, now);
    }
    // A message went either way.
    void used(Time now) { clock_.start(Timer::inactivity, now); }

    // The sequence number of our enquire_link that waits for its answer; 0: none.
    std::uint32_t enquiry() const { return enquiry_; }
    void enquired(std::uint32_t sequence, Time now);
    // Whether the peer answered our enquire_link with this number.
    bool answered(std::uint32_t sequence);

    bool isHeld() const { return isHeld_; }
    // The timers restart once a bound peer is no longer held.
    void hold(bool held, bool isBound, Time now);

    // When the inactivity timer expires: whether the session is idle. `isBusy`: a request of either
    // side is outstanding. A session that is busy now, or was at the last expiry, gets the whole
    // time again.
    bool isIdle(bool isBusy, Time now);

  private:
    using Timer = SessionClock::Timer;

    SessionClock& clock_;
    std::uint32_t enquiry_ = 0;
    bool isHeld_ = false;
    bool wasBusy_ = false;
};

}  // namespace smpp
