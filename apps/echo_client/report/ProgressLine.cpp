#include "echo_client/report/ProgressLine.h"

#include <ostream>

#include "echo_client/figures/Units.h"
#include "echo_client/report/Words.h"

namespace load {

namespace {

std::string medianAndTail(const LatencyHistogram& latency) {
    if (latency.count() == 0) return "no answers";
    return "p50 " + withUnit(latency.percentile(50)) + "  p99 " + withUnit(latency.percentile(99));
}

}  // namespace

std::string ProgressLine::toString(const Sample& sample) {
    if (sample.phase == LoadPhase::connecting) {
        return "connecting: " + std::to_string(sample.made) + " of " +
               counted(sample.asked, "connection");
    }
    return fixed(sample.percent, 0) + " %  " + fixed(sample.perSecond(), 0) + " echoes/s  " +
           fixed(sample.megabytesPerSecond(), 2) + " MB/s  " + medianAndTail(sample.latency) +
           (sample.errors > 0 ? "  " + counted(sample.errors, "error") : "");
}

void ProgressLine::observed(const Sample& sample) {
    out_ << "echo-client: " << toString(sample) << std::endl;
}

}  // namespace load
