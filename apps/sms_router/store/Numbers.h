// The numbers that a store gives out: never one that an earlier run may have had.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "sms_router/store/Statement.h"

namespace router {

// Where numbers begin when nothing says what earlier runs had (no store, or one that was lost):
// microseconds since 1970. A run that takes fewer than a million numbers a second stays behind the
// clock, so that the next one begins above all of them.
inline std::uint64_t firstNumber() {
    using std::chrono::microseconds;
    const auto since1970 = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(since1970).count());
}

// Of a store that keeps nothing: connectors are numbered anew in every run, and other numbers begin
// at the clock. Thread: any.
class MemoryNumbers {
  public:
    std::uint32_t connectorNumber(const std::string& name);
    std::uint64_t reserve(const std::string& kind, std::uint64_t count);

  private:
    std::mutex mutex_;
    std::map<std::string, std::uint32_t> connectors_;
    std::map<std::string, std::uint64_t> next_;
};

// By kind: the next one is above all that any run had. Thread: that of the database.
class NumberTable {
  public:
    explicit NumberTable(Database& database);

    // The first of `count`, in the transaction that is open.
    std::uint64_t reserve(const std::string& kind, std::uint64_t count);

  private:
    Statement select_;
    Statement write_;
};

}  // namespace router
