// A load seen for a short while: what plots, live views and lines of progress are made of.
//
// Thread: one at a time; a value.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "echo_client/figures/LoadFigures.h"

namespace load {

enum class LoadPhase { connecting, warmingUp, measuring, stopping };
const char* nameOf(LoadPhase phase);

struct DispatcherLoad {
    std::string name;  // "load-1"; of an agent: "HOST:PORT load-1"
    double busy = 0;   // 0 to 1

    bool operator==(const DispatcherLoad&) const = default;
};

struct Sample {
    LoadPhase phase = LoadPhase::connecting;
    // ModeWords::many and ::ways.
    std::string noun = "echoes";
    std::string ways = "each way";
    nio::Clock::duration at{0};        // the end of it, since the load began (not while connecting)
    nio::Clock::duration interval{0};  // its length
    double percent = 0;                // of the time with load
    std::size_t made = 0;              // connections, so far
    std::size_t asked = 0;
    std::uint64_t answered = 0;  // in the interval, warm-up too
    std::uint64_t bytes = 0;     // each way, in the interval
    LatencyHistogram latency;    // of the answers in the interval, warm-up too
    std::size_t errors = 0;      // so far
    std::size_t down = 0;        // connections that are lost and not back yet, at the end of it
    std::vector<DispatcherLoad> dispatchers;

    // Takes the one that follows in.
    void add(const Sample& next);
    double perSecond() const;
    double megabytesPerSecond() const;
};

// What a plot keeps of it.
struct Point {
    double at = 0;  // seconds
    double perSecond = 0;
    double megabytesPerSecond = 0;
    // µs; not a number where there was no answer, infinite beyond the histogram's range.
    double p50 = none, p90 = none, p99 = none, p999 = none, max = none;
    std::size_t errors = 0;  // so far
    std::size_t down = 0;    // as in Sample
    LoadPhase phase = LoadPhase::warmingUp;

    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    bool isMeasured() const { return phase == LoadPhase::measuring; }
    bool isAnswered() const { return !std::isnan(p50); }
    static Point of(const Sample& sample);
};

}  // namespace load
