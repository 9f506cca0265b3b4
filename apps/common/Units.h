// Numbers as a reader wants them.
//
// Thread: any.
#pragma once

#include <chrono>
#include <cstddef>
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
// "1 byte", "2 bytes".
std::string counted(std::size_t count, const std::string& noun);
// With so many digits behind the point.
std::string fixed(double value, int digits);

}  // namespace apps
