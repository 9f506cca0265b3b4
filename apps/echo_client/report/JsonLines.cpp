#include "echo_client/report/JsonLines.h"

#include <ostream>

#include "echo_client/report/Words.h"

namespace load {

namespace {

std::vector<double> busyOf(const Sample& sample) {
    std::vector<double> busy;
    for (const DispatcherLoad& dispatcher : sample.dispatchers) busy.push_back(dispatcher.busy);
    return busy;
}

}  // namespace

void JsonLines::observed(const Sample& sample) {
    const Point point = Point::of(sample);
    const nlohmann::ordered_json line{
        {"schema", outputSchema},
        {"phase", nameOf(sample.phase)},
        {"at", point.at},
        {"seconds", std::chrono::duration<double>(sample.interval).count()},
        {"percent", sample.percent},
        {"connections", {{"asked", sample.asked}, {"made", sample.made}}},
        {"echoes", sample.answered},
        {"perSecond", point.perSecond},
        {"megabytesPerSecond", point.megabytesPerSecond},
        {"p50", jsonTime(point.p50)},
        {"p90", jsonTime(point.p90)},
        {"p99", jsonTime(point.p99)},
        {"p99.9", jsonTime(point.p999)},
        {"max", jsonTime(point.max)},
        {"errors", sample.errors},
        {"connectionsDown", sample.down},
        {"busy", busyOf(sample)}};
    out_ << line.dump() << std::endl;
}

}  // namespace load
