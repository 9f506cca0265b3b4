#include "sms_router/store/Numbers.h"

#include <optional>

namespace router {

std::uint32_t MemoryNumbers::connectorNumber(const std::string& name) {
    std::lock_guard lock(mutex_);
    const auto next = static_cast<std::uint32_t>(connectors_.size() + 1);
    return connectors_.try_emplace(name, next).first->second;
}

std::uint64_t MemoryNumbers::reserve(const std::string& kind, std::uint64_t count) {
    std::lock_guard lock(mutex_);
    std::uint64_t& next = next_.try_emplace(kind, firstNumber()).first->second;
    const std::uint64_t first = next;
    next += count;
    return first;
}

NumberTable::NumberTable(Database& database)
    : select_(database, "SELECT next FROM numbers WHERE kind = ?1"),
      write_(database, "INSERT OR REPLACE INTO numbers (kind, next) VALUES (?1, ?2)") {}

std::uint64_t NumberTable::reserve(const std::string& kind, std::uint64_t count) {
    std::optional<std::uint64_t> next;
    select_.bind(1, kind);
    select_.forEach(
        [&](const Statement& row) { next = static_cast<std::uint64_t>(row.number(0)); });
    if (!next) next = firstNumber();
    write_.bind(1, kind);
    write_.bind(2, static_cast<std::int64_t>(*next + count));
    write_.run();
    return *next;
}

}  // namespace router
