// Where the results of echo-client go, as its options say: opened before the load, so that a
// mistake is known then, and written after it; what a file held stays until there is a report.
//
// Thread: one at a time.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

    const OutputOptions options_;
    std::vector<EarlierRun> earlier_;
    std::ofstream lines_;
    std::vector<std::unique_ptr<LoadObserver>> observers_;
};

}  // namespace load
