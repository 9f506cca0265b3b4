#include "simulation/Faults.h"

namespace simulation {

const char* nameOf(Fault fault) {
    constexpr std::array<const char*, faultKinds> names{
        "short-receive", "short-send",     "receive-blocks",  "send-blocks",      "receive-fails",
        "send-fails",    "spurious-event", "withheld-event",  "interrupted-wait", "no-descriptor",
        "no-buffer",     "no-reserve",     "watch-fails",     "rearm-fails",      "no-delay-fails",
        "late-wake-up",  "clock-step",     "ring-takes-less", "other-thread"};
    return names[static_cast<std::size_t>(fault)];
}

bool Faults::strikes(Fault fault) {
    const unsigned rate = rates_[index(fault)];
    if (stopped_ || rate == 0 || !random_.chance(rate)) return false;
    const std::size_t number = ++count_;
    if (place_ != nullptr) *place_ = number;
    if (only_ && !only_->contains(number)) return false;
    struck_.push_back({number, fault, step_});
    return true;
}

}  // namespace simulation
