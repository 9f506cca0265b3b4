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

void drawFaults(Random& random, FaultRates& rates, const FaultDraw& draw, std::size_t kinds) {
    const unsigned kindsPerMille = random.chance(draw.none) ? 0 : random.chance(200) ? 1000 : 300;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (!random.chance(kindsPerMille)) continue;
        const auto fault = static_cast<Fault>(kind);
        const bool breaks = fault == Fault::receiveFails || fault == Fault::sendFails ||
                            fault == Fault::watchFails || fault == Fault::rearmFails ||
                            fault == Fault::clockStep;
        const unsigned most = breaks ? draw.mostBreaking : draw.most;
        rates[kind] = static_cast<unsigned>(random.between(1, most));
    }
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
