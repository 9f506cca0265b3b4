#include "sms_router/store/NumberTable.h"

#include <optional>

#include "sms_router/store/FirstNumber.h"

namespace router {

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
