// A file of lines that goes with the test.
//
// Thread: that of the test.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "nio/sys/KernelTesting.h"

namespace router {

inline std::vector<std::string> linesOf(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

class LogFile {
  public:
    std::string path(const std::string& name = "cdr.log") const { return folder_.file(name); }
    std::vector<std::string> lines(const std::string& name = "cdr.log") const {
        return linesOf(path(name));
    }

  private:
    nio::kerneltest::TemporaryFolder folder_;
};

}  // namespace router
