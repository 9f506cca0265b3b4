// The result of a misbehaviour as text and as JSON, and the exit code that follows from it.
//
// Thread: any; not changed once made.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "echo_client/misbehave/MisbehaviourFigures.h"
#include "echo_client/options/LoadOptions.h"

namespace load {

class MisbehaviourReport {
  public:
    // options.misbehave is there.
    MisbehaviourReport(const LoadOptions& options, const MisbehaviourResult& result);

    std::string toText() const;
    // What became of the connections.
    std::string summary() const;
    nlohmann::ordered_json json() const;
    std::string toJson() const;
    // 0: carried out to its bound, or the server ended the connections. 1: no connection was made,
    // or (one-byte) an answer did not come in time. 3: (one-byte) an answer was wrong.
    int exitCode() const;
    // One line without a newline; empty where the exit code is 0.
    std::string complaint() const;
    // There is nothing to tell but the complaint.
    bool isTotalFailure() const { return result_.total.made() == 0; }

    // What is known while it runs, as a line without a newline.
    static std::string progressLine(const LoadOptions& options, const MisbehaviourFigures& total);

  private:
    std::string heading() const;
    std::string errors() const;

    const LoadOptions options_;
    const MisbehaviourResult result_;
};

}  // namespace load
