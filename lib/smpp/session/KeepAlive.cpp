#include <utility>

#include <smpp/session/KeepAlive.h>

namespace smpp {

void KeepAlive::stop() {
    for (Timer timer : {Timer::enquiry, Timer::inactivity, Timer::silence}) clock_.stop(timer);
}

void KeepAlive::enquired(std::uint32_t sequence, Time now) {
    enquiry_ = sequence;
    clock_.start(Timer::enquiry, now);
}

bool KeepAlive::answered(std::uint32_t sequence) {
    if (sequence == 0 || sequence != enquiry_) return false;
    enquiry_ = 0;
    clock_.stop(Timer::enquiry);
    return true;
}

void KeepAlive::hold(bool held, bool isBound, Time now) {
    isHeld_ = held;
    if (held) {
        clock_.stop(Timer::silence);
        clock_.stop(Timer::enquiry);
        return;
    }
    if (!isBound) return;
    if (enquiry_ != 0) clock_.start(Timer::enquiry, now);
    clock_.start(Timer::silence, now);
}

bool KeepAlive::isIdle(bool isBusy, Time now) {
    isBusy |= isHeld_;
    if (!std::exchange(wasBusy_, isBusy) && !isBusy) return true;
    clock_.start(Timer::inactivity, now);
    return false;
}

}  // namespace smpp
