#include "echo_client/payload/InFlight.h"

namespace load {

void InFlight::expire(nio::TimePoint limit) {
    overdueUntil_ = std::max(overdueUntil_, first_);
    while (overdueUntil_ < next_ && at(overdueUntil_).sent < limit) ++overdueUntil_;
}

// What is not copied has 0 bytes: forgotten.
void InFlight::grow() {
    std::vector<SentMessage> larger(2 * ring_.size());
    for (std::uint64_t i = first_; i < next_; ++i) larger[i & (larger.size() - 1)] = at(i);
    ring_ = std::move(larger);
}

}  // namespace load
