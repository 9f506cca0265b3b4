// Where the results of echo-client go, as its options say: opened before the load, so that a
// mistake is known then, and written after it; what a file held stays until there is a report.
//
// Thread: one at a time.
#pragma once

#include <unistd.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/SinkStream.h"
#include "echo_client/load/LoadObserver.h"
#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"
#include "echo_client/report/OutputFile.h"

namespace load {

class Outputs {
  public:
    explicit Outputs(const OutputOptions& options) : options_(options) {}

    // Absent: all can be written, and read. Else a sentence that names the option.
    std::optional<std::string> open();
    // What --compare names.
    const std::vector<EarlierRun>& earlier() const { return earlier_; }
    // Who watches the load, until this object goes.
    std::vector<LoadObserver*> observers();
    // False: something could not be written.
    bool write(const LoadReport& report);
    // Where --json goes, for a report of another kind.
    OutputFile& json() { return json_; }

  private:
    // Which option has which file.
    using Owners = std::map<OutputFile::Identity, const char*>;

    std::optional<std::string> comparedIsKept(const Owners& owners) const;
    bool ownsStandardOutput() const;
    bool allJsonLinesWritten() const;
    void writeBadFrame(const std::string& dump);

    const OutputOptions options_;
    std::vector<EarlierRun> earlier_;
    apps::SinkStream progress_{nio::standardError()};
    // A picture that was dropped is no loss.
    nio::LineSink screenSink_{STDERR_FILENO, nullptr};
    apps::SinkStream screen_{screenSink_};
    // On standard output. A program reads it: write() says on standard error what was dropped.
    nio::LineSink jsonLinesSink_{STDOUT_FILENO, nullptr};
    apps::SinkStream jsonLines_{jsonLinesSink_};
    OutputFile json_;
    OutputFile lines_;
    OutputFile csv_;
    OutputFile html_;
    OutputFile histogram_;
    OutputFile badFrame_;
    std::vector<std::unique_ptr<LoadObserver>> observers_;
};

}  // namespace load
