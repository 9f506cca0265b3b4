// Catches what the library logs while it lives.
//
// Thread: any; one LogCapture at a time.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <nio/base/Log.h>

namespace support {

class LogCapture {
  public:
    LogCapture() {
        nio::setLogger([this](nio::LogLevel, std::string_view line) {
            std::lock_guard lock(mutex_);
            lines_.emplace_back(line);
        });
    }
    ~LogCapture() { nio::setLogger({}); }
    LogCapture(const LogCapture&) = delete;
    LogCapture& operator=(const LogCapture&) = delete;

    std::vector<std::string> lines() const {
        std::lock_guard lock(mutex_);
        return lines_;
    }
    std::size_t count(std::string_view part) const {
        std::size_t found = 0;
        for (const std::string& line : lines()) found += line.find(part) != std::string::npos;
        return found;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

}  // namespace support
