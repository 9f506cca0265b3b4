#include "sms_router/store/StoreThread.h"

#include <algorithm>

#include <nio/base/Log.h>

namespace router {

namespace {

constexpr std::chrono::seconds tryAgainAfter{1};

nio::SelectorThreadOptions optionsFor(std::size_t limit, Store::GivingUp onGivingUp) {
    nio::SelectorThreadOptions options = nio::SelectorThreadOptions::forBlocking("store");
    options.onGivingUp = std::move(onGivingUp);
    options.maxQueuedTasks = limit;
    options.maxTasksPerTurn = StoreThread::maxBatch;
    return options;
}

}  // namespace

StoreThread::StoreThread(const std::string& path, Store::GivingUp onGivingUp, std::size_t limit)
    : path_(path),
      tables_(std::make_unique<StoreTables>(path)),
      thread_(optionsFor(limit, std::move(onGivingUp))) {
    thread_.start();
}

StoreThread::~StoreThread() {
    close();
}

void StoreThread::close() {
    std::lock_guard lock(close_);
    closing_ = true;
    nio::DrainOptions untilCommitted;
    untilCommitted.deadline = std::chrono::hours(24);
    thread_.requestClose(untilCommitted);
    thread_.join();
    releaseFile();
}

// The thread that it belonged to has ended.
void StoreThread::releaseFile() NIO_NO_THREAD_SAFETY_ANALYSIS {
    tables_.reset();
}

void StoreThread::beginNow() {
    figures_.openSince.store(nio::Clock::now(), std::memory_order_relaxed);
    auto begin = [](StoreTables& tables) { tables.begin(); };
    tryNow(begin);
}

void StoreThread::remove(Removals removals) {
    figures_.queued.fetch_add(1, std::memory_order_relaxed);
    auto task = [this, removals = std::make_unique<const Removals>(std::move(removals))] {
        nio::onDispatcher.assertCurrent();
        removeNow(*removals);
    };
    if (thread_.queue()->push(std::move(task), nio::TaskQueue::Post::exempt)) return;
    figures_.queued.fetch_sub(1, std::memory_order_relaxed);
}

void StoreThread::removeNow(const Removals& removals) {
    removals_.add(removals);
    if (batched_ == 0) beginNow();
    auto apply = [&](StoreTables& tables) { removals.apply(tables); };
    tryNow(apply);
    endChangeNow();
}

// Between two batches, and apart from them: none fails because of a row that cannot be removed.
void StoreThread::repeatNow() {
    if (undone_.isEmpty() || batched_ > 0) return;
    repeatsLater_ = !repeatPieceNow();
    if (repeatsLater_) return tryAgainLater();
    const auto next = [this] {
        nio::onDispatcher.assertCurrent();
        repeatNow();
    };
    if (undone_.isEmpty() || thread_.queue()->push(next, nio::TaskQueue::Post::exempt)) return;
    repeatNow();
}

bool StoreThread::repeatPieceNow() {
    const Removals some = undone_.tail(piece_);
    const bool removed = tryRemoveNow(some);
    // The disk is well, the row is not.
    const bool givesUp = some.size() == 1 && !figures_.lastFailed.load(std::memory_order_relaxed);
    if (removed || givesUp) undone_.removeTail(some);
    piece_ = removed ? std::min(2 * piece_, maxBatch) : std::max<std::size_t>(some.size() / 2, 1);
    return removed;
}

bool StoreThread::tryRemoveNow(const Removals& some) {
    try {
        tables_->begin();
        some.apply(*tables_);
        tables_->commit();
        return true;
    } catch (const std::exception& error) {
        tables_->rollback();
        const char* then =
            some.size() == 1 ? "; one row could not be removed" : "; removal will be retried";
        complainNow(error.what() + std::string(then));
        return false;
    }
}

void StoreThread::endChangeNow() {
    if (++batched_ >= maxBatch) return commitNow();
    if (!commitPosted_) postCommitNow();
}

// Refused when the dispatcher is about to end: nothing comes behind this change, or it has a commit
// of its own.
void StoreThread::postCommitNow() {
    auto commit = [this] {
        nio::onDispatcher.assertCurrent();
        commitPosted_ = false;
        commitNow();
    };
    commitPosted_ = thread_.queue()->push(commit, nio::TaskQueue::Post::exempt).ok();
    if (!commitPosted_) commitNow();
}

void StoreThread::commitNow() {
    if (batched_ == 0) return;
    const nio::TimePoint begun = nio::Clock::now();
    const bool committed = tryCommitNow();
    const auto took = static_cast<std::uint64_t>((nio::Clock::now() - begun).count());
    figures_.commitNanoseconds.fetch_add(took, std::memory_order_relaxed);
    figures_.changes.fetch_add(batched_, std::memory_order_relaxed);
    figures_.queued.fetch_sub(batched_, std::memory_order_relaxed);
    batched_ = 0;
    batch_.answer(committed);
    if (committed && !repeatsLater_) repeatNow();
    checkpointNow();
    figures_.openSince.store(nio::TimePoint::min(), std::memory_order_relaxed);
}

bool StoreThread::tryCommitNow() {
    try {
        if (!failure_) tables_->commit();
    } catch (const std::exception& error) {
        failure_ = error.what();
    }
    const bool committed = !failure_;
    if (!committed) undone_.add(removals_);
    removals_ = {};
    if (committed) figures_.commits.fetch_add(1, std::memory_order_relaxed);
    if (!committed) undoNow(*std::exchange(failure_, std::nullopt));
    figures_.lastFailed.store(!committed, std::memory_order_relaxed);
    if (!committed) tryAgainLater();
    return committed;
}

// Who watches the alarm keeps away what would be committed. The next try is set before this one may
// fail for want of memory.
void StoreThread::tryAgainLater() {
    if (!nextTry_) {
        nextTry_.emplace(thread_.deadlines(), [this] {
            nio::onDispatcher.assertCurrent();
            if (!figures_.lastFailed.load(std::memory_order_relaxed)) return repeatNow();
            nextTry_->wakeAfter(tryAgainAfter);
            change([](StoreTables& tables) { touch(tables.database); });
        });
    }
    if (!nextTry_->isSet()) nextTry_->wakeAfter(tryAgainAfter);
}

void StoreThread::undoNow(const std::string& why) {
    tables_->rollback();
    figures_.failedCommits.fetch_add(1, std::memory_order_relaxed);
    complainNow(why + "; " + std::to_string(batched_) + " changes were rolled back");
}

void StoreThread::checkpointNow() {
    Database& database = tables_->database;
    if (!database.checkpointIsDue() || database.checkpoint()) return;
    complainNow(database.message() + "; checkpoint failed, so the write-ahead log grows");
}

void StoreThread::complainNow(const std::string& what) {
    if (const auto more = complaints_.admit(nio::Clock::now())) {
        nio::log(nio::LogLevel::error, what + *more);
    }
}

}  // namespace router
