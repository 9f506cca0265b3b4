// JsonLines in a file, which keeps what it holds until there is a first line.
//
// Thread: one at a time. Lifetime: the file must outlive it.
// Errors: the file is not good() any more.
#pragma once

#include <sstream>

#include "echo_client/report/JsonLines.h"
#include "echo_client/report/OutputFile.h"

namespace load {

class JsonLinesFile final : public JsonLines {
  public:
    explicit JsonLinesFile(OutputFile& file) : JsonLines(line_), file_(file) {}

    void observed(const Sample& sample) override {
        line_.str("");
        JsonLines::observed(sample);
        file_.writeSoon(line_.str());
    }

  private:
    std::ostringstream line_;
    OutputFile& file_;
};

}  // namespace load
