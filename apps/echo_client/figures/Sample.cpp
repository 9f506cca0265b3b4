#include "echo_client/figures/Sample.h"

#include "common/Units.h"

namespace load {

namespace {

double secondsOf(nio::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

double perSecondIn(double amount, nio::Clock::duration time) {
    return time.count() > 0 ? amount / secondsOf(time) : 0;
}

// Of both intervals together.
double meanBusy(double before, nio::Clock::duration beforeTime, double after,
                nio::Clock::duration afterTime) {
    const double busySeconds = before * secondsOf(beforeTime) + after * secondsOf(afterTime);
    return perSecondIn(busySeconds, beforeTime + afterTime);
}

}  // namespace

const char* nameOf(LoadPhase phase) {
    switch (phase) {
        case LoadPhase::connecting: return "connecting";
        case LoadPhase::warmingUp: return "warming up";
        case LoadPhase::measuring: return "measuring";
        case LoadPhase::stopping: return "stopping";
    }
    return "";
}

void Sample::add(const Sample& next) {
    for (std::size_t i = 0; i < dispatchers.size() && i < next.dispatchers.size(); ++i) {
        double& busy = dispatchers[i].busy;
        busy = meanBusy(busy, interval, next.dispatchers[i].busy, next.interval);
    }
    if (dispatchers.size() != next.dispatchers.size()) dispatchers = next.dispatchers;
    phase = next.phase;
    noun = next.noun;
    ways = next.ways;
    at = next.at;
    interval += next.interval;
    percent = next.percent;
    made = next.made;
    asked = next.asked;
    answered += next.answered;
    bytes += next.bytes;
    latency.merge(next.latency);
    errors = next.errors;
    down = next.down;
}

double Sample::perSecond() const {
    return perSecondIn(static_cast<double>(answered), interval);
}

double Sample::megabytesPerSecond() const {
    return perSecondIn(static_cast<double>(bytes) / 1e6, interval);
}

Point Point::of(const Sample& sample) {
    const auto percentile = [&](double percent) {
        return apps::microsOf(sample.latency.percentile(percent));
    };
    Point point;
    point.at = secondsOf(sample.at);
    point.perSecond = sample.perSecond();
    point.megabytesPerSecond = sample.megabytesPerSecond();
    point.errors = sample.errors;
    point.down = sample.down;
    point.phase = sample.phase;
    if (sample.latency.count() == 0) return point;
    point.p50 = percentile(50);
    point.p90 = percentile(90);
    point.p99 = percentile(99);
    point.p999 = percentile(99.9);
    point.max = apps::microsOf(sample.latency.max());
    return point;
}

}  // namespace load
