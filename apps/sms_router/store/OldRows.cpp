#include "sms_router/store/OldRows.h"

namespace router {

OldRows::OldRows(Database& database, const std::string& table, const std::string& key)
    : slice_(database, "SELECT max(" + key + ") FROM (SELECT " + key + " FROM " + table +
                           " WHERE " + key + " >= ?1 ORDER BY " + key + " LIMIT ?2)"),
      remove_(database,
              "DELETE FROM " + table + " WHERE " + key + " BETWEEN ?1 AND ?2 AND time < ?3") {}

std::optional<std::int64_t> OldRows::prune(std::int64_t from, std::int64_t olderThan,
                                           std::int64_t rows) {
    const std::optional<std::int64_t> last = endOfSlice(from, rows);
    if (!last) return std::nullopt;
    remove_.bind(1, from);
    remove_.bind(2, *last);
    remove_.bind(3, olderThan);
    remove_.run();
    if (*last == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return *last + 1;
}

std::optional<std::int64_t> OldRows::endOfSlice(std::int64_t from, std::int64_t rows) {
    std::optional<std::int64_t> last;
    slice_.bind(1, from);
    slice_.bind(2, rows);
    slice_.forEach([&](const Statement& row) {
        if (!row.isNull(0)) last = row.number(0);
    });
    return last;
}

}  // namespace router
