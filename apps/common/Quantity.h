// Numbers with a unit, as people write them on a command line.
//
// Thread: any. Errors: std::errc::invalid_argument; context() is a sentence that quotes what was
// written.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nio/base/Result.h>

namespace apps {

// "500ms", "1.5s", "2m", "50us", "800ns", "1h", "7d"; a plain number is seconds. At most 1e6 s.
nio::Result<std::chrono::nanoseconds> parseDuration(const std::string& text);
nio::Result<std::chrono::nanoseconds> parseDurationUpTo(std::chrono::seconds most,
                                                        const std::string& text);
// "1000", "1k", "2.5M", each with or without "/s". More than 0, at most 1e9.
nio::Result<double> parseRate(const std::string& text);
// "64", "4k" (1,000), "4Ki" (1,024), "1M", "1Mi": a whole number.
// At most 2^53.
nio::Result<std::uint64_t> parseCount(const std::string& text);
// "0.5", "12", "10k", "2.5M": 0 to 1e18, nothing else said.
nio::Result<double> parseNumber(const std::string& text);

// The short way to write them, which parse… would read again: "500ms", "90s"; "2.5k".
std::string writeDuration(std::chrono::nanoseconds time);
std::string writeNumber(double value);

}  // namespace apps
