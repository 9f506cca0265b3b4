#include "echo_client/ProgressLine.h"

#include <ostream>

#include "echo_client/Units.h"

namespace load {

namespace {

constexpr const char* rewrite = "\r\x1b[K";

}  // namespace

std::string Progress::toString() const {
    if (connecting) {
        return "connecting: " + std::to_string(made) + " of " + std::to_string(asked) +
               " connections";
    }
    const double seconds = std::chrono::duration<double>(interval).count();
    const double rate = seconds > 0 ? static_cast<double>(latency.count()) / seconds : 0;
    const double megabytes = rate * static_cast<double>(messageBytes) / 1e6;
    const std::string rates =
        fixed(percent, 0) + " %  " + fixed(rate, 0) + " echoes/s  " + fixed(megabytes, 2) + " MB/s";
    const std::string times =
        "  p50 " + withUnit(latency.percentile(50)) + "  p99 " + withUnit(latency.percentile(99));
    return rates + times + (errors > 0 ? "  " + std::to_string(errors) + " errors" : "");
}

void ProgressLine::show(const Progress& progress) {
    const std::string line = progress.toString();
    const std::string text = terminal_ ? rewrite + line : "echo-client: " + line + "\n";
    out_ << text << std::flush;
    shown_ = true;
}

void ProgressLine::clear() {
    if (terminal_ && shown_) out_ << rewrite << std::flush;
    shown_ = false;
}

}  // namespace load
