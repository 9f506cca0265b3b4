#include "sms_router/store/SentTable.h"

namespace router {

SentTable::SentTable(Database& database, NameTable& accounts)
    : accounts_(accounts),
      insert_(database,
              "INSERT INTO sent VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE "
              "SET account = ?2, time = ?3, about = ?4"),
      append_(database,
              "INSERT INTO sent VALUES (?1, 0, ?2, x'', ?3) ON CONFLICT (id) DO UPDATE "
              "SET events = events || ?3"),
      find_(database, "SELECT account, time, about, events FROM sent WHERE id = ?1"),
      oldRows_(database, "sent", "id", OldRows::Index::byTime) {}

void SentTable::add(const SentRecord& record) {
    insert_.bind(1, static_cast<std::int64_t>(record.id));
    insert_.bind(2, accounts_.numberOf(record.account));
    insert_.bind(3, record.time);
    insert_.bind(4, record.about);
    insert_.bind(5, record.events);
    insert_.run();
}

void SentTable::addEvent(std::uint64_t id, const std::string& line, std::int64_t time) {
    append_.bind(1, static_cast<std::int64_t>(id));
    append_.bind(2, time);
    append_.bind(3, line);
    append_.run();
}

std::optional<SentRecord> SentTable::find(std::uint64_t id) {
    std::optional<SentRecord> found;
    find_.bind(1, static_cast<std::int64_t>(id));
    find_.forEach([&](const Statement& row) {
        found.emplace();
        found->id = id;
        if (row.number(0) != 0) found->account = accounts_.nameOf(row.number(0));
        found->time = row.number(1);
        found->about = row.text(2);
        found->events = row.text(3);
    });
    return found;
}

}  // namespace router
