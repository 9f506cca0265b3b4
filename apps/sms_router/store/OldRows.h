// Deletes the rows of a table that are older than a time, some rows a call, so that no commit takes
// long by that.
//
//     for (auto from = OldRows::start; from;) from = rows.prune(*from, olderThan, 1000);
//
// Thread: that of the database.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "sms_router/store/Statement.h"

namespace router {

class OldRows {
  public:
    static constexpr std::int64_t start = std::numeric_limits<std::int64_t>::min();
    // Without an index by time all rows are looked at.
    enum class Index { none, byTime };

    // `key` is the table's INTEGER PRIMARY KEY; there is a column time.
    OldRows(Database& database, const std::string& table, const std::string& key,
            Index index = Index::none);

    // Looks at `rows` rows from the key `from` on; with an index, at the oldest. Where to go on;
    // absent: that was the end.
    std::optional<std::int64_t> prune(std::int64_t from, std::int64_t olderThan, std::int64_t rows);

  private:
    std::optional<std::int64_t> pruneByTime(std::int64_t from, std::int64_t olderThan,
                                            std::int64_t rows);
    std::optional<std::int64_t> endOfSlice(std::int64_t from, std::int64_t rows);

    Database& database_;
    const Index index_;
    Statement slice_;
    Statement remove_;
};

}  // namespace router
