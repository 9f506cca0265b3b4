// The runs that a plot lays over each other: this one first, then earlier ones.
//
// Thread: any. Lifetime: of the report and the earlier runs longer.
#pragma once

#include <string>
#include <vector>

#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"

namespace load::page {

struct Run {
    std::string name;
    std::string style;  // "run0": its colour and, but for this run, its dashes
    const std::vector<Point>* series;
    const LatencyHistogram* latency;

    bool isThis() const { return style == "run0"; }
};

std::vector<Run> runsOf(const LoadReport& report, const std::vector<EarlierRun>& others);

// What a style of the plot stands for.
struct Key {
    std::string style;
    std::string text;
    std::string shape = "M1 5H29";  // in a box of 30 by 10
};

// The frame that all plots have. `plot` is markup; without it there is a sentence instead.
std::string plotCard(const std::string& title, const std::string& note,
                     const std::vector<Key>& keys, const std::string& plot);

}  // namespace load::page
