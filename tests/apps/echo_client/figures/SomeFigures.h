// Figures in which no two are equal.
#pragma once

#include "echo_client/figures/LoadFigures.h"

namespace load {

inline LoadFigures someFigures(std::uint64_t seed, int latencies = 500) {
    using Duration = LatencyHistogram::Duration;
    LoadFigures figures;
    std::uint64_t next = seed;
    LatencyHistogram* const histograms[] = {&figures.latency, &figures.service, &figures.lateness,
                                            &figures.outside, &figures.connect, &figures.handshake};
    for (LatencyHistogram* histogram : histograms) {
        for (int i = 0; i < latencies; ++i) {
            next = next * 6364136223846793005ULL + 1442695040888963407ULL;
            histogram->record(Duration(next >> (28 + next % 20)));
        }
    }
    figures.inTime = seed + 8;
    figures.bytes = seed + 1;
    figures.held = seed + 2;
    figures.offline = seed + 11;
    figures.unsent = seed + 3;
    figures.unanswered = seed + 9;
    const auto outage = std::chrono::seconds(seed);
    figures.outages.add({outage, outage + std::chrono::seconds(1), seed, seed + 1, seed + 2});
    figures.down = seed + 14;
    figures.reconnectsFailed = seed + 12;
    figures.resumed = seed + 13;
    figures.sent = seed + 4;
    figures.answered = seed + 5;
    figures.answeredBytes = seed + 10;
    figures.busy = nio::Clock::duration(seed + 6);
    figures.covered = nio::Clock::duration(seed + 7);
    LoadErrors& errors = figures.errors;
    errors.connect["Connection refused"] = seed + 8;
    errors.other["reason " + std::to_string(seed)] = seed + 9;
    errors.reset = seed + 10;
    errors.closedEarly = seed + 11;
    errors.timedOut = seed + 12;
    errors.lost = seed + 13;
    errors.duplicated = seed + 14;
    errors.reordered = seed + 15;
    errors.corrupted = seed + 16;
    errors.connectExample = "connect " + std::to_string(seed);
    errors.wrongAnswerExample = "answer " + std::to_string(seed);
    errors.badFrame = "frame " + std::to_string(seed);
    return figures;
}

}  // namespace load
