// Numbers with a unit, as people write them on a command line.
//
// Thread: any. Errors: std::errc::invalid_argument, or result_out_of_range where only the size is
// wrong; context() is a sentence that quotes what was written.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nio/base/Result.h>

namespace apps {

// Eleven days: no load runs for longer, and no timer of a connection.
constexpr std::chrono::nanoseconds longestTime = std::chrono::seconds(1'000'000);

// "500ms", "1.5s", "2m", "50us", "800ns", "1h", "7d"; a plain number is seconds. Up to 100 years.
nio::Result<std::chrono::nanoseconds> parseDuration(const std::string& text);
// Rounded, but what is not zero does not become zero, which often means "without end".
std::chrono::nanoseconds nanosecondsOf(double seconds);
// Within [low, high]; so for the others of that name.
nio::Result<std::chrono::nanoseconds> parseDurationWithin(std::chrono::nanoseconds low,
                                                          std::chrono::nanoseconds high,
                                                          const std::string& text);
// "1000", "1k", "2.5M", each with or without "/s". From 0.001 to 1e9.
nio::Result<double> parseRate(const std::string& text);
// "64", "4k" (1,000), "4Ki" (1,024), "1M", "1Mi": a whole number.
// At most 2^53.
nio::Result<std::uint64_t> parseCount(const std::string& text);
nio::Result<std::uint64_t> parseCountWithin(std::uint64_t low, std::uint64_t high,
                                            const std::string& text);
// "0.5", "12", "10k", "2.5M": 0 to 1e18, nothing else said.
nio::Result<double> parseNumber(const std::string& text);
nio::Result<double> parseNumberWithin(double low, double high, const std::string& text);

// The short way to write them, which parse… would read again: "500ms", "90s"; "2.5k".
std::string writeDuration(std::chrono::nanoseconds time);
std::string writeNumber(double value);

}  // namespace apps
