#include "sms_router/store/AnswerTable.h"

namespace router {

AnswerTable::AnswerTable(Database& database, NameTable& accounts)
    : accounts_(accounts),
      insert_(database,
              "INSERT OR REPLACE INTO answers (account, key, time, request, status, body) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
      find_(database,
            "SELECT time, request, status, body FROM answers "
            "WHERE account = ?1 AND key = ?2 AND time > ?3"),
      oldRows_(database, "answers", "number", OldRows::Index::byTime) {}

void AnswerTable::add(const AnswerRecord& record) {
    insert_.bind(1, accounts_.numberOf(record.account));
    insert_.bind(2, record.key);
    insert_.bind(3, record.time);
    insert_.bind(4, record.request);
    insert_.bind(5, record.status);
    insert_.bind(6, record.body);
    insert_.run();
}

std::optional<AnswerRecord> AnswerTable::find(const std::string& account, const std::string& key,
                                              std::int64_t since) {
    const std::optional<std::int64_t> number = accounts_.find(account);
    if (!number) return std::nullopt;
    std::optional<AnswerRecord> found;
    find_.bind(1, *number);
    find_.bind(2, key);
    find_.bind(3, since);
    find_.forEach([&](const Statement& row) {
        found.emplace();
        found->account = account;
        found->key = key;
        found->time = row.number(0);
        found->request = row.text(1);
        found->status = static_cast<int>(row.number(2));
        found->body = row.text(3);
    });
    return found;
}

}  // namespace router
