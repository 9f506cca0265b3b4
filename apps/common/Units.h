// Numbers as a reader wants them.
//
// Thread: any.
#pragma once

#include <chrono>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace apps {

// Three digits and a unit: "850 ns", "31.2 µs", "1.20 ms", "2.50 s"; "> 60 s" for
// LatencyHistogram::beyond.
std::string withUnit(std::chrono::nanoseconds time);
// Microseconds, as plots and JSON keep them; infinite for LatencyHistogram::beyond.
double microsOf(std::chrono::nanoseconds time);
std::string microsWithUnit(double micros);
// A latency in JSON: µs, null for none (not a number), "> 60 s" beyond the histogram's range
// (infinite).
nlohmann::ordered_json jsonTime(double micros);
// With so many digits behind the point.
std::string fixed(double value, int digits);

}  // namespace apps
