// A Snapshot as other programs read it.
//
// Thread: any.
#pragma once

#include <set>
#include <string>

#include "sms_router/model/Snapshot.h"

namespace router {

// Whose binds are listed one by one; the others have their number only.
struct StatusDetail {
    bool allBinds = true;
    std::set<std::string, std::less<>> accounts{};
    std::set<std::string, std::less<>> connectors{};
};

// /status.json, which the status page reads, too. Names are those of Snapshot.h where there is one;
// times are in the unit that their names end with. Counters only grow while the router runs
// (totals: while no account, stages: while no connector is removed); `taken` says when they were
// read, so that two answers make rates. Text that is not UTF-8 gets U+FFFD where it is wrong.
std::string statusJson(const Snapshot& snapshot, const StatusDetail& detail = {});

// "2xx"
inline std::string httpClass(std::size_t firstDigit) {
    return std::to_string(firstDigit) + "xx";
}

// /metrics, for Prometheus. The router's own names begin with sms_router_; behind them come the
// nio_ families of docs/metrics.md: those of each of its dispatchers, and nio_memory_budget_ if
// there is a budget. Latencies are histograms in seconds.
std::string metrics(const Snapshot& snapshot);

}  // namespace router
