// What a load came to, for people, for programs, and as an exit code.
//
// Thread: one at a time.
#pragma once

#include <string>

#include "echo_client/LoadFigures.h"
#include "echo_client/LoadOptions.h"

namespace load {

struct LoadResult {
    LoadFigures total;  // latency: of the measured time; the rest: of all
    std::string server;
    std::string selector;
    std::size_t dispatchers = 0;
    bool interrupted = false;
};

class LoadReport {
  public:
    LoadReport(const LoadOptions& options, LoadResult result)
        : options_(options), result_(std::move(result)) {}

    // 0, 1 or 3; see LoadOptions.cpp.
    int exitCode() const;
    // Without a single connection there is nothing to report but why.
    bool isTotalFailure() const;
    // The worst that happened, in one line without a newline; empty if nothing did.
    std::string complaint() const;

    std::string toText() const;
    std::string toJson() const;

  private:
    double seconds() const;
    double echoesPerSecond() const;
    double megabytesPerSecond() const;
    std::string heading() const;

    const LoadOptions options_;
    const LoadResult result_;
};

}  // namespace load
