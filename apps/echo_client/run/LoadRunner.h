// Makes the runs that the options ask for: one, several of the same (--repeat), or a search for
// the highest rate (--find-max).
//
// Thread: one at a time; blocks until all is over. Signals as in LoadGenerator: the first ends the
// run under way, and no other follows.
// Lifetime: the observers live longer.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "echo_client/load/LoadObserver.h"
#include "echo_client/misbehave/BesideLoad.h"
#include "echo_client/report/LoadReport.h"

namespace load {

class LoadRunner {
  public:
    // Takes a line, without a newline, for each run that is over where there are several.
    using Tell = std::function<void(const std::string&)>;

    LoadRunner(const LoadOptions& options, const nio::SocketAddress& server,
               std::vector<LoadObserver*> observers, Tell tell);

    // Errors: an exception with a sentence, before any load. When a later run cannot begin, or a
    // search is interrupted, the report is about the runs before, and its verdict says so.
    LoadReport run();

  private:
    LoadResult runOnce(const LoadOptions& options);
    std::optional<LoadResult> runAgain(const LoadOptions& options, bool isFirst);
    void repeat(LoadReport& report);
    void search(LoadReport& report);

    const LoadOptions options_;
    const nio::SocketAddress server_;
    const std::vector<LoadObserver*> observers_;
    const Tell tell_;
    std::optional<BesideLoad> beside_;
    LoadErrors errors_;         // of all runs made
    bool interrupted_ = false;  // one of them
    std::string trouble_;       // why there are no others, though they were wanted
};

}  // namespace load
