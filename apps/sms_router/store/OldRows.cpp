#include "sms_router/store/OldRows.h"

namespace router {

namespace {

std::string removalFrom(const std::string& table, const std::string& key, OldRows::Index index) {
    const std::string remove = "DELETE FROM " + table + " WHERE " + key;
    if (index == OldRows::Index::none) return remove + " BETWEEN ?1 AND ?2 AND time < ?3";
    return remove + " IN (SELECT " + key + " FROM " + table +
           " WHERE time < ?1 ORDER BY time LIMIT ?2)";
}

}  // namespace

OldRows::OldRows(Database& database, const std::string& table, const std::string& key, Index index)
    : database_(database),
      index_(index),
      slice_(database, "SELECT max(" + key + ") FROM (SELECT " + key + " FROM " + table +
                           " WHERE " + key + " >= ?1 ORDER BY " + key + " LIMIT ?2)"),
      remove_(database, removalFrom(table, key, index)) {}

std::optional<std::int64_t> OldRows::prune(std::int64_t from, std::int64_t olderThan,
                                           std::int64_t rows) {
    if (index_ == Index::byTime) return pruneByTime(from, olderThan, rows);
    const std::optional<std::int64_t> last = endOfSlice(from, rows);
    if (!last) return std::nullopt;
    remove_.bind(1, from);
    remove_.bind(2, *last);
    remove_.bind(3, olderThan);
    remove_.run();
    if (*last == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return *last + 1;
}

std::optional<std::int64_t> OldRows::pruneByTime(std::int64_t from, std::int64_t olderThan,
                                                 std::int64_t rows) {
    remove_.bind(1, olderThan);
    remove_.bind(2, rows);
    remove_.run();
    if (database_.number("SELECT changes()") < rows) return std::nullopt;
    return from;
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
