// The file and all that is in it: its tables, whose it is, and of which version.
//
// Thread: one at a time.
// Errors: std::runtime_error, see Database and prepareSchema().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sms_router/store/AnswerTable.h"
#include "sms_router/store/Database.h"
#include "sms_router/store/IdTable.h"
#include "sms_router/store/KeptTable.h"
#include "sms_router/store/NameTable.h"
#include "sms_router/store/Numbers.h"
#include "sms_router/store/SentTable.h"

namespace router {

// In the file's header: "nSMR".
inline constexpr int storeApplication = 0x6E534D52;
inline constexpr int storeVersion = 6;

// Makes the tables in an empty file; looks whether a file that has some is ours, and brings one of
// an earlier version up to date. A file of anybody else is left as it was. Throws
// std::runtime_error: another program's database, or a version that is newer than this program.
void prepareSchema(Database& database);
// A change that changes nothing: whether the file can be written. In a transaction.
void touch(Database& database);

class StoreTables {
  public:
    explicit StoreTables(const std::string& path) : database(path) {}

    void begin() { database.begin(); }
    // Throws when it cannot be committed: then it is still to be rolled back.
    void commit() {
        database.commit();
        connectors.committed();
        accounts.committed();
    }
    void rollback() {
        database.rollback();
        connectors.rolledBack();
        accounts.rolledBack();
    }

    Database database;

  private:
    // The tables are there before the statements about them.
    struct Prepared {
        explicit Prepared(Database& database) { prepareSchema(database); }
    } prepared_{database};

  public:
    NameTable connectors{database, "connectors"};
    NameTable accounts{database, "accounts"};
    NumberTable numbers{database};
    IdTable ids{database, accounts};
    KeptTable kept{database, accounts};
    SentTable sent{database, accounts};
    AnswerTable answers{database, accounts};
};

// Rows to remove: they are not waited for, and none may come back. Thread: one at a time.
struct Removals {
    std::vector<std::uint64_t> ids{};
    std::vector<std::uint64_t> kept{};

    bool isEmpty() const { return ids.empty() && kept.empty(); }
    std::size_t size() const { return ids.size() + kept.size(); }
    void apply(StoreTables& tables) const;
    void add(const Removals& more);
    // Some of them, the last ones.
    Removals tail(std::size_t most) const;
    void removeTail(const Removals& tail);
};

}  // namespace router
