#include "sms_router/store/KeptTable.h"

namespace router {

namespace {

const std::string keptColumns = "SELECT number, account, time, pdu, message, parts, part FROM kept";

}  // namespace

KeptTable::KeptTable(Database& database, NameTable& accounts)
    : accounts_(accounts),
      all_(database, keptColumns + " ORDER BY number"),
      ofAccount_(database, keptColumns + " WHERE account = ?1 ORDER BY number"),
      insert_(database, "INSERT OR REPLACE INTO kept VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
      remove_(database, "DELETE FROM kept WHERE number = ?1"),
      oldRows_(database, "kept", "number") {}

std::vector<KeptRecord> KeptTable::load() {
    std::vector<KeptRecord> records;
    load(all_, records);
    return records;
}

void KeptTable::loadAccount(const std::string& account, std::vector<KeptRecord>& records) {
    const std::optional<std::int64_t> number = accounts_.find(account);
    if (!number) return;
    ofAccount_.bind(1, *number);
    load(ofAccount_, records);
}

void KeptTable::load(Statement& statement, std::vector<KeptRecord>& records) {
    statement.forEach([&](const Statement& row) {
        KeptRecord& record = records.emplace_back();
        record.number = static_cast<std::uint64_t>(row.number(0));
        record.account = accounts_.nameOf(row.number(1));
        record.time = row.number(2);
        record.pdu = nio::copyOf(row.bytes(3));
        record.message = static_cast<std::uint64_t>(row.number(4));
        record.parts = static_cast<std::uint32_t>(row.number(5));
        record.part = static_cast<std::uint64_t>(row.number(6));
    });
}

void KeptTable::add(const KeptRecord& record) {
    insert_.bind(1, static_cast<std::int64_t>(record.number));
    insert_.bind(2, accounts_.numberOf(record.account));
    insert_.bind(3, record.time);
    insert_.bind(4, nio::ByteView(record.pdu));
    insert_.bind(5, static_cast<std::int64_t>(record.message));
    insert_.bind(6, record.parts);
    insert_.bind(7, static_cast<std::int64_t>(record.part));
    insert_.run();
}

void KeptTable::remove(std::uint64_t number) {
    remove_.bind(1, static_cast<std::int64_t>(number));
    remove_.run();
}

}  // namespace router
