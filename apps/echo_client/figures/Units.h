// Numbers as a reader wants them.
//
// Thread: any.
#pragma once

#include <chrono>
#include <string>

namespace load {

// Three digits and a unit: "850 ns", "31.2 µs", "1.20 ms", "2.50 s".
std::string withUnit(std::chrono::nanoseconds time);
// With so many digits behind the point.
std::string fixed(double value, int digits);

}  // namespace load
