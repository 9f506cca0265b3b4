#include "sms_router/store/IdTable.h"

namespace router {

IdTable::IdTable(Database& database, NameTable& accounts)
    : accounts_(accounts),
      count_(database, "SELECT count(*) FROM ids"),
      all_(database,
           "SELECT id, connector, smscId, account, time, flags, shown FROM ids ORDER BY id"),
      insert_(database, "INSERT OR REPLACE INTO ids VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      update_(database, "UPDATE ids SET flags = ?2 WHERE id = ?1"),
      remove_(database, "DELETE FROM ids WHERE id = ?1"),
      oldRows_(database, "ids", "id") {}

std::vector<IdRecord> IdTable::load() {
    std::vector<IdRecord> records;
    count_.forEach(
        [&](const Statement& row) { records.reserve(static_cast<std::size_t>(row.number(0))); });
    all_.forEach([&](const Statement& row) {
        IdRecord& record = records.emplace_back();
        record.id = static_cast<std::uint64_t>(row.number(0));
        record.connector = static_cast<std::uint32_t>(row.number(1));
        record.smscId = row.text(2);
        record.account = accounts_.nameOf(row.number(3));
        record.time = row.number(4);
        record.flags = static_cast<std::uint32_t>(row.number(5));
        record.shown = static_cast<std::uint64_t>(row.number(6));
    });
    return records;
}

void IdTable::add(const IdRecord& record) {
    insert_.bind(1, static_cast<std::int64_t>(record.id));
    insert_.bind(2, record.connector);
    insert_.bind(3, record.smscId);
    insert_.bind(4, accounts_.numberOf(record.account));
    insert_.bind(5, record.time);
    insert_.bind(6, record.flags);
    insert_.bind(7, static_cast<std::int64_t>(record.shown));
    insert_.run();
}

void IdTable::updateFlags(std::uint64_t id, std::uint32_t flags) {
    update_.bind(1, static_cast<std::int64_t>(id));
    update_.bind(2, flags);
    update_.run();
}

void IdTable::remove(std::uint64_t id) {
    remove_.bind(1, static_cast<std::int64_t>(id));
    remove_.run();
}

}  // namespace router
