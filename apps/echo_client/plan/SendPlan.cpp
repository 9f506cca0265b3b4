#include "echo_client/plan/SendPlan.h"

#include <cmath>

namespace load {

SendPlan::SendPlan(const RateCurve& curve, Arrivals arrivals, std::size_t connection,
                   std::size_t connections, nio::TimePoint begin, Random random)
    : curve_(&curve),
      arrivals_(arrivals),
      connections_(static_cast<double>(connections)),
      begin_(begin),
      random_(random),
      due_(arrivals == Arrivals::constant ? static_cast<double>(connection) : gap()),
      next_(timeOf(due_)) {}

void SendPlan::advance() {
    due_ += gap();
    next_ = timeOf(due_);
}

std::uint64_t SendPlan::plannedWithin(nio::TimePoint from, nio::TimePoint to) const {
    if (from >= to) return 0;
    return static_cast<std::uint64_t>(plannedBefore(to) - plannedBefore(from));
}

double SendPlan::plannedBefore(nio::TimePoint when) const {
    if (next_ >= when) return 0;
    const double seconds = std::chrono::duration<double>(when - begin_).count();
    return std::ceil((curve_->messagesBy(seconds) - due_) / connections_);
}

double SendPlan::gap() {
    return arrivals_ == Arrivals::constant ? connections_ : connections_ * random_.exponential();
}

nio::TimePoint SendPlan::timeOf(double messages) const {
    constexpr double never = 3e9;  // seconds, a hundred years: Clock counts no further
    const double seconds = curve_->timeOf(messages);
    if (!(seconds < never)) return nio::TimePoint::max();
    return begin_ + nio::Clock::duration(std::llround(seconds * 1e9));
}

}  // namespace load
