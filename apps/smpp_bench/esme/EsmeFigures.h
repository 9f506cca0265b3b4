// What a run of ESMEs has counted, and whether that is as it should be.
//
// Thread: one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nio/sys/Clock.h>

#include "common/LatencyHistogram.h"
#include "smpp_bench/esme/EsmeOptions.h"
#include "smpp_bench/esme/ReceiptLedger.h"

namespace smppbench {

// A part of the run, between two moments.
struct Part {
    nio::Clock::duration time{0};
    std::uint64_t answered = 0;
    std::uint64_t receipts = 0;
};

struct EsmeFigures {
    std::size_t bindsWanted = 0;
    std::size_t bindsMade = 0;
    std::map<std::string, std::uint64_t> bindRefusals{};  // by the status' name or the error
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;                         // whatever the status
    std::map<std::uint32_t, std::uint64_t> statuses{};  // of answers to submit_sm
    std::uint64_t strayAnswers = 0;                     // to a sequence number that does not wait
    std::uint64_t unanswered = 0;                       // lost with their connection, or too late
    std::uint64_t unsent = 0;                           // of --messages, given up
    std::uint64_t lostLinks = 0;
    std::uint64_t malformed = 0;
    std::uint64_t idsDisagree = 0;  // receipts whose text and TLV do
    std::uint64_t enquireLinks = 0;
    // By account and destination.
    std::map<std::string, std::map<std::string, std::uint64_t>> mo{};

    Part measured{};  // what was sent while measured: rate and latency
    Part charged{};   // from there on until all receipts have come: CPU
    apps::LatencyHistogram latency{};
    std::optional<std::chrono::nanoseconds> serverCpu{};
    std::chrono::nanoseconds ownCpu{0};

    double rate() const;
    std::optional<double> serverCpuMicros() const;
    double ownCpuMicros() const;
};

// What is wrong, one line each; none: all is well.
std::vector<std::string> complaints(const EsmeOptions& options, const EsmeFigures& figures,
                                    const ReceiptLedger::Totals& receipts);

std::string toJson(const EsmeOptions& options, const EsmeFigures& figures,
                   const ReceiptLedger::Totals& receipts);
std::string toText(const EsmeOptions& options, const EsmeFigures& figures,
                   const ReceiptLedger::Totals& receipts);

}  // namespace smppbench
