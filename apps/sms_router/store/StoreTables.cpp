#include "sms_router/store/StoreTables.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace router {

namespace {

// Keys are ours and ascend: a new row goes to the end of its tree, and no second index has to be
// kept. Names are bytes: system_ids need not be text in any encoding.
constexpr const char* tableStatements = R"(
    CREATE TABLE connectors (number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
    CREATE TABLE accounts (number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
    CREATE TABLE numbers (kind BLOB PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE ids (
        id INTEGER PRIMARY KEY,
        connector INTEGER NOT NULL,
        smscId BLOB NOT NULL,
        account INTEGER NOT NULL,
        time INTEGER NOT NULL,
        flags INTEGER NOT NULL,
        shown INTEGER NOT NULL,
        source BLOB NOT NULL DEFAULT x'',
        destination INTEGER NOT NULL DEFAULT 0,
        sender INTEGER NOT NULL DEFAULT 0,
        own BLOB NOT NULL DEFAULT x'',
        message INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE kept (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL,
        time INTEGER NOT NULL,
        pdu BLOB NOT NULL,
        message INTEGER NOT NULL DEFAULT 0,
        parts INTEGER NOT NULL DEFAULT 0,
        part INTEGER NOT NULL DEFAULT 0
    );
)";

// Events may come before what they are about: then the account is 0. Old rows leave all the time,
// not only at the start: they are found by an index.
constexpr const char* httpTables = R"(
    CREATE TABLE sent (
        id INTEGER PRIMARY KEY,
        account INTEGER NOT NULL,
        time INTEGER NOT NULL,
        about BLOB NOT NULL,
        events BLOB NOT NULL
    );
    CREATE TABLE answers (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL,
        key BLOB NOT NULL,
        time INTEGER NOT NULL,
        request BLOB NOT NULL,
        status INTEGER NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (account, key)
    );
)";

constexpr const char* httpIndexes = R"(
    CREATE INDEX IF NOT EXISTS sentTime ON sent (time);
    CREATE INDEX IF NOT EXISTS answersTime ON answers (time);
)";

void setVersion(Database& database) {
    database.execute(("PRAGMA user_version = " + std::to_string(storeVersion)).c_str());
}

// All of it, or nothing.
template <class Change>
void change(Database& database, Change&& make) {
    database.begin();
    try {
        make();
        setVersion(database);
        database.commit();
    } catch (...) {
        database.rollback();
        throw;
    }
}

void makeTables(Database& database) {
    change(database, [&] {
        database.execute(tableStatements);
        database.execute(httpTables);
        database.execute(httpIndexes);
        database.execute(("PRAGMA application_id = " + std::to_string(storeApplication)).c_str());
    });
}

void bringUpToDate(Database& database) {
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version == storeVersion) return;
    change(database, [&] {
        if (version < 2) {
            database.execute("ALTER TABLE ids ADD COLUMN source BLOB NOT NULL DEFAULT x''");
        }
        if (version < 3) {
            database.execute("ALTER TABLE ids ADD COLUMN destination INTEGER NOT NULL DEFAULT 0");
            database.execute("ALTER TABLE ids ADD COLUMN sender INTEGER NOT NULL DEFAULT 0");
        }
        if (version < 4) {
            database.execute("ALTER TABLE ids ADD COLUMN own BLOB NOT NULL DEFAULT x''");
        }
        if (version < 5) {
            database.execute("ALTER TABLE ids ADD COLUMN message INTEGER NOT NULL DEFAULT 0");
            database.execute("ALTER TABLE kept ADD COLUMN message INTEGER NOT NULL DEFAULT 0");
            database.execute("ALTER TABLE kept ADD COLUMN parts INTEGER NOT NULL DEFAULT 0");
            database.execute("ALTER TABLE kept ADD COLUMN part INTEGER NOT NULL DEFAULT 0");
            database.execute(httpTables);
        }
        database.execute(httpIndexes);
    });
}

void checkOwner(Database& database) {
    const std::string where = "store " + database.path() + ": ";
    if (database.number("PRAGMA application_id") != storeApplication) {
        throw std::runtime_error(where + "it belongs to another program");
    }
    const std::int64_t version = database.number("PRAGMA user_version");
    if (version > storeVersion) {
        throw std::runtime_error(where + "its version " + std::to_string(version) +
                                 " is newer than the supported " + std::to_string(storeVersion) +
                                 ": use a newer sms-router");
    }
}

}  // namespace

void prepareSchema(Database& database) {
    const bool isEmpty = database.number("SELECT count(*) FROM sqlite_schema") == 0;
    if (!isEmpty) checkOwner(database);
    database.useLog();
    isEmpty ? makeTables(database) : bringUpToDate(database);
}

// SQLite writes the version also where it is the same.
void touch(Database& database) {
    setVersion(database);
}

namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers tailOf(const Numbers& numbers, std::size_t most) {
    const std::size_t count = std::min(most, numbers.size());
    return {numbers.end() - static_cast<std::ptrdiff_t>(count), numbers.end()};
}

}  // namespace

void Removals::apply(StoreTables& tables) const {
    for (const std::uint64_t id : ids) tables.ids.remove(id);
    for (const std::uint64_t number : kept) tables.kept.remove(number);
}

void Removals::add(const Removals& more) {
    ids.insert(ids.end(), more.ids.begin(), more.ids.end());
    kept.insert(kept.end(), more.kept.begin(), more.kept.end());
}

Removals Removals::tail(std::size_t most) const {
    Numbers someIds = tailOf(ids, most);
    const std::size_t left = most - someIds.size();
    return {std::move(someIds), tailOf(kept, left)};
}

void Removals::removeTail(const Removals& tail) {
    ids.resize(ids.size() - tail.ids.size());
    kept.resize(kept.size() - tail.kept.size());
}

}  // namespace router
