// The numbers of a store that keeps nothing: connectors are numbered anew in every run, and other
// numbers begin at the clock (FirstNumber.h).
//
// Thread: any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace router {

class MemoryNumbers {
  public:
    std::uint32_t connectorNumber(const std::string& name);
    std::uint64_t reserve(const std::string& kind, std::uint64_t count);

  private:
    std::mutex mutex_;
    std::map<std::string, std::uint32_t> connectors_;
    std::map<std::string, std::uint64_t> next_;
};

}  // namespace router
