#include "sms_router/store/IdTable.h"

namespace router {

namespace {

const std::string columns =
    "SELECT id, connector, smscId, account, time, flags, shown, source, destination, "
    "sender, own, message FROM ids";

}  // namespace

IdTable::IdTable(Database& database, NameTable& accounts)
    : accounts_(accounts),
      count_(database, "SELECT count(*) FROM ids"),
      all_(database, columns + " ORDER BY id"),
      ofAccount_(database, columns + " WHERE account = ?1 ORDER BY id"),
      ofRange_(database, columns + " WHERE id BETWEEN ?1 AND ?2 ORDER BY id"),
      insert_(database,
              "INSERT OR REPLACE INTO ids VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
              "?10, ?11, ?12)"),
      remove_(database, "DELETE FROM ids WHERE id = ?1"),
      oldRows_(database, "ids", "id") {}

std::vector<IdRecord> IdTable::load() {
    std::vector<IdRecord> records;
    count_.forEach(
        [&](const Statement& row) { records.reserve(static_cast<std::size_t>(row.number(0))); });
    load(all_, records);
    return records;
}

void IdTable::loadAccount(const std::string& account, std::vector<IdRecord>& records) {
    const std::optional<std::int64_t> number = accounts_.find(account);
    if (!number) return;
    ofAccount_.bind(1, *number);
    load(ofAccount_, records);
}

void IdTable::loadRange(std::uint64_t first, std::uint64_t last, std::vector<IdRecord>& records) {
    ofRange_.bind(1, static_cast<std::int64_t>(first));
    ofRange_.bind(2, static_cast<std::int64_t>(last));
    load(ofRange_, records);
}

void IdTable::load(Statement& statement, std::vector<IdRecord>& records) {
    statement.forEach([&](const Statement& row) {
        IdRecord& record = records.emplace_back();
        record.id = static_cast<std::uint64_t>(row.number(0));
        record.connector = static_cast<std::uint32_t>(row.number(1));
        record.smscId = row.text(2);
        record.account = accounts_.nameOf(row.number(3));
        record.time = row.number(4);
        record.flags = static_cast<std::uint32_t>(row.number(5));
        record.shown = static_cast<std::uint64_t>(row.number(6));
        record.source = row.text(7);
        record.destination = row.number(8);
        record.sender = row.number(9);
        record.own = row.text(10);
        record.message = static_cast<std::uint64_t>(row.number(11));
    });
}

void IdTable::add(const IdRecord& record) {
    insert_.bind(1, static_cast<std::int64_t>(record.id));
    insert_.bind(2, record.connector);
    insert_.bind(3, record.smscId);
    insert_.bind(4, accounts_.numberOf(record.account));
    insert_.bind(5, record.time);
    insert_.bind(6, record.flags);
    insert_.bind(7, static_cast<std::int64_t>(record.shown));
    insert_.bind(8, record.source);
    insert_.bind(9, record.destination);
    insert_.bind(10, record.sender);
    insert_.bind(11, record.own);
    insert_.bind(12, static_cast<std::int64_t>(record.message));
    insert_.run();
}

void IdTable::remove(std::uint64_t id) {
    remove_.bind(1, static_cast<std::int64_t>(id));
    remove_.run();
}

}  // namespace router
