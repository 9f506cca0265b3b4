// One SQLite file, opened for this process alone: WAL, every commit synced, a bounded page cache.
//
// A file that does not exist is made, with mode 0640. Checkpoints are made by whoever commits, when
// checkpointIsDue(): so nobody who waits for a commit waits for one.
//
// Thread: one at a time.
// Lifetime: of its statements longer.
// Errors: std::runtime_error, "store PATH: reason": the file cannot be opened, is no database, or
// another process has it; afterwards whatever SQLite says.
#pragma once

#include <cstdint>
#include <string>

struct sqlite3;

namespace router {

class Database {
  public:
    // How long the lock is waited for: a router that ends gives it up within that time.
    static constexpr int lockPatienceMs = 250;
    // Pages of the log at which a checkpoint is due: 4 MiB, some milliseconds of writing.
    static constexpr int checkpointPages = 1000;

    explicit Database(std::string path);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    // The log becomes the journal from here on; before it nothing was written to the file.
    void useLog();

    // One or more statements without parameters; what they return is thrown away.
    void execute(const char* sql);
    // The one number that a query returns.
    std::int64_t number(const char* sql);
    // The key of the row that was inserted last.
    std::int64_t lastKey() const;

    void begin() { execute("BEGIN IMMEDIATE"); }
    void commit() { execute("COMMIT"); }
    // Also when SQLite has undone the transaction by itself. Never throws.
    void rollback() noexcept;

    bool checkpointIsDue() const { return logPages_ >= checkpointPages; }
    // False: it could not be made now (its reason is in message()). Nothing is lost by that.
    bool checkpoint();

    const std::string& path() const { return path_; }
    std::string message() const;
    [[noreturn]] void fail() const;
    sqlite3* handle() { return handle_; }

  private:
    static int logGrew(void* self, sqlite3*, const char*, int pages);

    void open();
    void close();

    const std::string path_;
    sqlite3* handle_ = nullptr;
    int logPages_ = 0;
};

}  // namespace router
