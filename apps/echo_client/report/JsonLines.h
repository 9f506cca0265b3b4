// A running load for programs: one JSON object a line, one line a second, and one for the rest at
// the end. Times are in µs, of the answers in that time, warm-up too; null where there was none.
//
// Thread: one at a time. Lifetime: the stream must outlive it. Errors: the state of the stream.
#pragma once

#include <iosfwd>
#include <sstream>

#include "echo_client/load/LoadObserver.h"
#include "echo_client/report/OutputFile.h"

namespace load {

class JsonLines : public LoadObserver {
  public:
    explicit JsonLines(std::ostream& out) : out_(out) {}

    void observed(const Sample& sample) override;
    void ended(const Sample& rest) override { observed(rest); }

  private:
    std::ostream& out_;
};

// A base, so that it is constructed before JsonLines refers to it.
struct LineOfJson {
    std::ostringstream line;
};

// JsonLines in a file, which keeps its content until there is a first line.
// Lifetime: the file must outlive it. Errors: the file is no longer good().
class JsonLinesFile final : private LineOfJson, public JsonLines {
  public:
    explicit JsonLinesFile(OutputFile& file) : JsonLines(line), file_(file) {}

    void observed(const Sample& sample) override {
        line.str("");
        JsonLines::observed(sample);
        file_.writeSoon(line.str());
    }

  private:
    OutputFile& file_;
};

}  // namespace load
