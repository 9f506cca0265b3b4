// JsonLines in a file, which keeps what it holds until there is a first line.
//
// Thread: one at a time. Lifetime: the file must outlive it.
// Errors: the file is not good() any more.
#pragma once

#include <sstream>

#include "echo_client/report/JsonLines.h"
#include "echo_client/report/OutputFile.h"

namespace load {

// A base, so that it is made before JsonLines refers to it.
struct LineOfJson {
    std::ostringstream line;
};

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
