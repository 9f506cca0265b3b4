// Where the results of echo-client go, as its options say: opened before the load, so that a
// mistake is known then, and written after it; what a file held stays until there is a report.
//
// Thread: one at a time.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/SinkStream.h"
#include "echo_client/load/LoadObserver.h"
#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/LoadReport.h"

namespace load {

class Outputs {
  public:
    explicit Outputs(const OutputOptions& options) : options_(options) {}

    // Absent: all can be written, and read. Else a sentence that names the option.
    std::optional<std::string> open();
    // Who watches the load, until this object goes.
    std::vector<LoadObserver*> observers();
    // False: something could not be written.
    bool write(const LoadReport& report);

  private:
    // Which option has which file, by device and inode.
    using Owners = std::map<std::pair<dev_t, ino_t>, const char*>;

    std::optional<std::string> comparedIsKept(const Owners& owners) const;
    bool ownsStandardOutput() const;
    bool writeBadFrame(const std::string& dump);
    bool allJsonLinesWritten() const;

    const OutputOptions options_;
    std::vector<EarlierRun> earlier_;
    std::ofstream lines_;
    apps::SinkStream progress_{nio::standardError()};
    // A picture that was dropped is no loss.
    nio::LineSink screenSink_{STDERR_FILENO, nullptr};
    apps::SinkStream screen_{screenSink_};
    // On standard output. A program reads it: write() says on standard error what was dropped.
    nio::LineSink jsonLinesSink_{STDOUT_FILENO, nullptr};
    apps::SinkStream jsonLines_{jsonLinesSink_};
    std::vector<std::unique_ptr<LoadObserver>> observers_;
};

}  // namespace load
