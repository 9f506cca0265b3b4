// What survives kill -9: which message id of ours is which of which SMSC, the receipts and messages
// that wait for an account, and what was sent by HTTP. SQLite, on a dispatcher of its own without
// sockets: the disk never blocks a dispatcher with connections.
//
// Changes are queued, and committed together: one transaction, one fdatasync for all that was there
// when the previous commit ended. Each `done` runs on the dispatcher it names, after the commit, in
// the order of the changes of each caller; all of one commit for one dispatcher in one task.
//
// With Durability::memory there is no file and no dispatcher: `done` runs at once, in place (posted
// where the caller is not on `thread`), and nothing is there to be loaded.
//
// Thread: any; close() and the destructor not on a dispatcher that is waited for. What returns a
// value waits for the store's dispatcher, and for what was queued there before: not for one with
// connections.
// Lifetime: close() or the destructor commits what is queued. Dispatchers named in `done` must
// outlive it; an answer for one that has stopped is dropped.
// Limit: changes that wait, see StoreThread; one more is refused: done(false), in place if the
// caller is on `thread`, else posted, and so before the answers of those that wait. What has no
// `done` is never refused, but once the store is closed.
// Errors: the constructor throws std::runtime_error in one line (a file that is no database or not
// ours, a newer version, a second router on the same file); so does what returns a value (a failed
// read or commit, a closed store). A commit that fails (disk full) is undone as a whole, answered
// false to all of it, logged once a minute at most, and counted; the next one is tried as usual,
// and the removals that were undone are made then. Those that no commit has taken when the store is
// closed, or that a damaged row refuses, are lost: after a restart their rows are back, until they
// are pruned.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/loop/SelectorThread.h>

#include "sms_router/config/RouterConfig.h"

namespace router {

// Now, in seconds since 1970.
inline std::int64_t wallSeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// One message that an SMSC has accepted.
struct IdRecord {
    std::uint64_t id = 0;          // ours, see model/MessageId.h; unique
    std::uint32_t connector = 0;   // its number, see Store::connectorNumber
    std::string smscId;            // as its answer had it
    std::string account;           // system_id
    std::int64_t time = 0;         // seconds since 1970
    std::uint32_t flags = 0;       // the owner's
    std::uint64_t shown = 0;       // the owner's
    std::string source{};          // the owner's
    std::int64_t destination = 0;  // the owner's
    std::int64_t sender = 0;       // the owner's
    std::string own{};             // the owner's
    std::uint64_t message = 0;     // the owner's
};

// One receipt or MO message that waits for its account.
struct KeptRecord {
    std::uint64_t number = 0;  // the owner's, unique, ascending
    std::string account;
    std::int64_t time = 0;      // seconds since 1970
    nio::Bytes pdu;             // as it is to be delivered
    std::uint64_t message = 0;  // the owner's, as are the next
    std::uint64_t part = 0;
    std::uint32_t parts = 0;
};

// One message that was sent by HTTP, and what became of it.
struct SentRecord {
    std::uint64_t id = 0;  // as the application knows it
    std::string account;
    std::int64_t time = 0;  // seconds since 1970
    std::string about;      // the owner's
    std::string events{};   // the owner's: a line for each, in their order
};

// One HTTP request that is not to be carried out again, and its answer.
struct AnswerRecord {
    std::string account;
    std::string key;        // the application's; unique for the account
    std::int64_t time = 0;  // seconds since 1970
    std::string request;    // its digest
    int status = 0;
    std::string body;
};

class Store {
  public:
    using Done = nio::UniqueFunction<void(bool committed)>;
    static constexpr std::int64_t answersFor = 24 * 3600;  // s; from then on none is found

    // Of its dispatcher, as SelectorThreadOptions has it.
    using GivingUp = std::function<void(const nio::Error&)>;
    explicit Store(const StoreConfig& config, GivingUp onGivingUp = {});
    ~Store();

    // What an earlier run left, in ascending order of their numbers.
    std::vector<IdRecord> loadIds();
    std::vector<KeptRecord> loadKept();
    // The same of these accounts, and the ids in these ranges (first, last): without the others
    // being held in memory, and without a look at what belongs to accounts that have nothing.
    using IdRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    std::vector<IdRecord> loadIdsOf(const std::set<std::string>& accounts, const IdRanges& ranges);
    std::vector<KeptRecord> loadKeptOf(const std::set<std::string>& accounts);
    // A number for a connector's name that stays the same for ever; from 1. A new one is committed
    // when this returns.
    std::uint32_t connectorNumber(const std::string& name);
    // The first of `count` numbers that no run has had before, of this kind: below 2^53, ascending.
    // The very first is made from the clock, see firstNumber().
    std::uint64_t reserveNumbers(const std::string& kind, std::uint64_t count);
    // The same without waiting: a change as those below are. Nothing: it was not committed.
    using Reserved = nio::UniqueFunction<void(std::optional<std::uint64_t> first)>;
    void reserveNumbers(const std::string& kind, std::uint64_t count, nio::SelectorThread& thread,
                        Reserved done);

    // `thread` is where `done` runs: the caller's, or the one that waits for the answer. An id that
    // is there already is replaced.
    void addId(IdRecord record, nio::SelectorThread& thread, Done done);
    void removeIds(std::vector<std::uint64_t> ids);
    void keep(KeptRecord record, nio::SelectorThread& thread, Done done);
    void removeKept(std::vector<std::uint64_t> numbers);
    // What was sent by one HTTP request, and its answer if that is to be kept: all of it, or
    // nothing. Events that came before are not lost. Messages stay as long as ids do, and both
    // leave within an hour of their time when more is added.
    void addSent(std::vector<SentRecord> sent, std::optional<AnswerRecord> answer,
                 nio::SelectorThread& thread, Done done);
    // A line more for a message, without its end. Not waited for: lost if its commit fails.
    void addEvent(std::uint64_t id, std::string line, nio::SelectorThread& thread);
    // In the order of the changes. One without an account: there are only events of it yet.
    using SentFound = nio::UniqueFunction<void(bool isRead, std::optional<SentRecord>)>;
    void findSent(std::uint64_t id, nio::SelectorThread& thread, SentFound found);
    using AnswerFound = nio::UniqueFunction<void(bool isRead, std::optional<AnswerRecord>)>;
    void findAnswer(std::string account, std::string key, nio::SelectorThread& thread,
                    AnswerFound found);
    // Remove what is older than this time (seconds since 1970), some rows a turn, so that no commit
    // takes long. Return at once; nothing happens while an earlier call is still at it.
    void pruneIds(std::int64_t olderThan);
    void pruneKept(std::int64_t olderThan);

    // Commits what is queued, and stops; changes are refused (done(false)) from then on.
    void close();

    bool isDurable() const;
    // For metrics; all zero in memory. Thread: any.
    struct Figures {
        std::atomic<std::uint64_t> commits{0};
        std::atomic<std::uint64_t> changes{0};
        std::atomic<std::uint64_t> failedCommits{0};
        std::atomic<std::uint64_t> commitNanoseconds{0};  // the sum
        std::atomic<std::uint64_t> queued{0};             // now
        // When the first change was made that is not committed yet; min(): there is none.
        std::atomic<nio::TimePoint> openSince{nio::TimePoint::min()};
        // The alarm. Apart from the others: it is read for each message, they are written.
        alignas(64) std::atomic<bool> lastFailed{false};
    };
    const Figures& figures() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace router
