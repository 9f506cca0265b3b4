#include "sms_router/store/Database.h"

#include <fcntl.h>
#include <sqlite3.h>

#include <stdexcept>

#include <nio/sys/UniqueFd.h>

#include "common/Printable.h"
#include "sms_router/store/Statement.h"

namespace router {

namespace {

// SQLite would make it readable for all. A file that is there is not touched: to close any
// descriptor of it would give up the locks that this process holds on it.
void makeFile(const std::string& path) {
    const nio::UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
}

}  // namespace

Database::Database(std::string path) : path_(std::move(path)) {
    makeFile(path_);
    try {
        open();
    } catch (...) {
        close();
        throw;
    }
}

Database::~Database() {
    close();
}

void Database::open() {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr) != SQLITE_OK) fail();
    sqlite3_busy_timeout(handle_, lockPatienceMs);
    sqlite3_wal_hook(handle_, &Database::logGrew, this);
    // Exclusive before anything is read: the lock stays from the first look at the file, and the
    // index of the log is kept in memory instead of a file that is shared.
    execute("PRAGMA locking_mode = EXCLUSIVE");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA temp_store = MEMORY");
    execute("PRAGMA cache_size = -16384");
}

void Database::useLog() {
    bool isLog = false;
    Statement(*this, "PRAGMA journal_mode = WAL").forEach([&](const Statement& row) {
        isLog = row.text(0) == "wal";
    });
    if (!isLog) throw std::runtime_error("store " + path_ + ": cannot create its write-ahead log");
    execute("PRAGMA journal_size_limit = 16777216");
}

void Database::close() {
    sqlite3_close_v2(handle_);
}

void Database::execute(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::number(const char* sql) {
    std::int64_t found = 0;
    Statement(*this, sql).forEach([&](const Statement& row) { found = row.number(0); });
    return found;
}

std::int64_t Database::lastKey() const {
    return sqlite3_last_insert_rowid(handle_);
}

void Database::rollback() noexcept {
    if (sqlite3_get_autocommit(handle_) != 0) return;
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

bool Database::checkpoint() {
    logPages_ = 0;
    return sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                     nullptr) == SQLITE_OK;
}

int Database::logGrew(void* self, sqlite3*, const char*, int pages) {
    static_cast<Database*>(self)->logPages_ = pages;
    return SQLITE_OK;
}

std::string Database::message() const {
    const std::string where = "store " + path_ + ": ";
    switch (sqlite3_errcode(handle_)) {
        case SQLITE_BUSY: return where + "another program has it open (another sms-router?)";
        case SQLITE_NOTADB: return where + "not a database";
        // It quotes the file.
        default: return where + apps::printable(sqlite3_errmsg(handle_));
    }
}

void Database::fail() const {
    throw std::runtime_error(message());
}

}  // namespace router
