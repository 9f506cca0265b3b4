#include "echo_client/report/JsonLines.h"

#include <ostream>

#include <nlohmann/json.hpp>

namespace load {

void JsonLines::observed(const Sample& sample) {
    const Point point = Point::of(sample);
    const nlohmann::ordered_json line{
        {"phase", nameOf(sample.phase)},
        {"at", point.at},
        {"seconds", std::chrono::duration<double>(sample.interval).count()},
        {"percent", sample.percent},
        {"connections", {{"asked", sample.asked}, {"made", sample.made}}},
        {"echoes", sample.answered},
        {"perSecond", point.perSecond},
        {"megabytesPerSecond", point.megabytesPerSecond},
        {"p50", point.p50},
        {"p90", point.p90},
        {"p99", point.p99},
        {"p99.9", point.p999},
        {"max", point.max},
        {"errors", sample.errors},
        {"busy", sample.busy}};
    out_ << line.dump() << std::endl;
}

}  // namespace load
