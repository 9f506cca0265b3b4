#include "sms_router/model/RateLimit.h"

#include <algorithm>
#include <cmath>

namespace router {

namespace {

constexpr double nanosecondsPerSecond = 1e9;
// A message a day, so many at once: the product is in the range of nanoseconds.
constexpr double slowest = 1.0 / (24 * 3600);
constexpr std::int64_t mostAtOnce = 65'535;
constexpr double longestDebt = nanosecondsPerSecond / slowest * mostAtOnce;

}  // namespace

void RateLimit::setRate(double messagesPerSecond, nio::TimePoint now) {
    const double rate = messagesPerSecond > 0 ? std::max(messagesPerSecond, slowest) : 0;
    // Rounded up: never more than the rate.
    const double interval = rate > 0 ? std::ceil(nanosecondsPerSecond / rate) : 0;
    const double burst = std::max(1.0, std::floor(rate));
    const std::int64_t before = interval_.load(std::memory_order_relaxed);
    if (interval == 0) {
        paidOff_.store(INT64_MIN, std::memory_order_relaxed);
    } else if (before > 0) {
        scaleDebt(interval / static_cast<double>(before), now.time_since_epoch().count());
    }
    interval_.store(static_cast<std::int64_t>(interval), std::memory_order_relaxed);
    burst_.store(static_cast<std::int64_t>(interval * burst), std::memory_order_relaxed);
}

void RateLimit::scaleDebt(double by, std::int64_t now) {
    std::int64_t paidOff = paidOff_.load(std::memory_order_relaxed);
    while (paidOff > now) {
        const double owed = std::min(static_cast<double>(paidOff - now) * by, longestDebt);
        const std::int64_t next = now + static_cast<std::int64_t>(owed);
        if (paidOff_.compare_exchange_weak(paidOff, next, std::memory_order_relaxed)) return;
    }
}

bool RateLimit::allow(nio::TimePoint now, unsigned messages) {
    const std::int64_t interval = interval_.load(std::memory_order_relaxed);
    if (interval == 0) return true;
    const std::int64_t time = now.time_since_epoch().count();
    const std::int64_t cost = interval * std::min<std::int64_t>(messages, mostAtOnce);
    const std::int64_t mayOwe = std::max(burst_.load(std::memory_order_relaxed), cost);
    std::int64_t paidOff = paidOff_.load(std::memory_order_relaxed);
    for (;;) {
        const std::int64_t from = std::max(paidOff, time);
        if (from - time > mayOwe - cost) return false;
        const std::int64_t next = from + cost;
        if (paidOff_.compare_exchange_weak(paidOff, next, std::memory_order_relaxed)) return true;
    }
}

}  // namespace router
