// Figures as JSON, without loss: merged after the journey they are what they would have been
// merged before it. That is how agents send theirs.
//
// What comes from another machine is not trusted: a figure that is missing, of another type, out
// of its bounds or at odds with another one is an error, and so are more or longer texts than
// figuresToJson() makes (it cuts texts at maximumTextBytes and leaves reasons beyond
// maximumReasons to the last).
//
// Texts that came are made printable; "badFrame" keeps its lines. Those that go are passed on as
// they are: dump() has to replace what is no UTF-8, or it throws.
//
// Thread: any. Errors: invalid_argument, with the place: "latency.buckets: …".
#pragma once

#include <nlohmann/json.hpp>

#include <nio/base/Result.h>

#include "echo_client/figures/LoadFigures.h"

namespace load {

constexpr std::size_t maximumTextBytes = 64 * 1024;
constexpr std::size_t maximumReasons = 256;

// Times in nanoseconds; a histogram's buckets as [largest latency in it, how many].
nlohmann::json figuresToJson(const LoadFigures& figures);
nio::Result<LoadFigures> figuresFromJson(const nlohmann::json& json);

}  // namespace load
