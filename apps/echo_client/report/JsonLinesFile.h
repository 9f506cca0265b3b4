// JsonLines in a file, which keeps what it holds until there is a first line.
//
// Thread: one at a time. Lifetime: the stream must outlive it.
// Errors: the stream is not good() any more.
#pragma once

#include <fstream>
#include <string>
#include <utility>

#include "echo_client/report/JsonLines.h"

namespace load {

class JsonLinesFile final : public JsonLines {
  public:
    // `file` is not open yet.
    JsonLinesFile(std::ofstream& file, std::string path)
        : JsonLines(file), file_(file), path_(std::move(path)) {}

    void observed(const Sample& sample) override {
        if (!std::exchange(begun_, true)) file_.open(path_, std::ios::trunc);
        JsonLines::observed(sample);
    }

  private:
    std::ofstream& file_;
    const std::string path_;
    bool begun_ = false;
};

}  // namespace load
