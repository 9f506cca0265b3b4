#include "echo_client/figures/ServerUse.h"

namespace load {

namespace {

double inSeconds(nio::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

double ServerUse::seconds() const {
    return inSeconds(to.at - from.at);
}

double ServerUse::cpuSeconds() const {
    return inSeconds(to.cpu - from.cpu);
}

double ServerUse::microsPerEcho(double perSecond) const {
    const double echoes = perSecond * seconds();
    return echoes > 0 ? cpuSeconds() * 1e6 / echoes : 0;
}

double ServerUse::userPart() const {
    const double user = inSeconds(to.user - from.user);
    const double both = user + inSeconds(to.system - from.system);
    return both > 0 ? user / both : 0;
}

}  // namespace load
