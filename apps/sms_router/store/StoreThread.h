// The dispatcher that the database belongs to, and its group commit.
//
// A change runs in a turn of this dispatcher. The first one of a batch begins a transaction and
// posts the commit behind what is queued by then: so a commit takes along all that came while the
// one before it was synced, and a change that is alone waits for nobody. Answers leave as soon as
// the commit is made; the log is written back to the file (the checkpoint) only after that.
//
// Thread: any, except for what says NIO_REQUIRES; close() not on a dispatcher.
// Lifetime: of the dispatchers that are answered shorter; close() commits what is queued.
// While commits fail, one is tried every second, so that it is known when they succeed again.
// Removals that were undone with their batch are made by themselves, maxBatch rows in a commit and
// fewer where that fails; a single one that fails while others succeed is given up, and logged.
// Limit: maxQueued changes that wait, maxBatch in one commit. Changes without an answer are exempt:
// they remove what was let in before.
// Errors: see Store.
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <nio/loop/SelectorThread.h>
#include <nio/sys/LogLimiter.h>
#include <nio/timers/Deadline.h>

#include "sms_router/store/CommitBatch.h"
#include "sms_router/store/Store.h"
#include "sms_router/store/StoreTables.h"

namespace router {

class StoreThread {
  public:
    static constexpr std::size_t maxQueued = 262'144;
    static constexpr std::size_t maxBatch = 4096;

    explicit StoreThread(const std::string& path, Store::GivingUp onGivingUp = {},
                         std::size_t limit = maxQueued);
    ~StoreThread();

    // `apply(StoreTables&)` makes the change; what it throws undoes the whole batch.
    template <std::invocable<StoreTables&> Apply>
    void change(Apply apply, nio::SelectorThread& thread, Store::Done done);
    // One that nobody waits for.
    template <std::invocable<StoreTables&> Apply>
    void change(Apply apply);
    // The same, and tried again until it is committed: what was acknowledged must not come back.
    void remove(Removals removals);

    // Runs it in a transaction of its own, and waits until that is committed.
    template <std::invocable<StoreTables&> Apply>
    auto changeAndWait(Apply apply);

    // May be called again, and by several threads. The file is free when it returns.
    void close();
    bool isClosing() const { return closing_.load(std::memory_order_relaxed); }

    const Store::Figures& figures() const { return figures_; }

  private:
    // What is changed, and who waits for it: nobody if there is no thread.
    template <class Apply>
    struct Change {
        StoreThread& store;
        Apply apply;
        nio::SelectorThread* thread;
        Store::Done done;

        void operator()() {
            nio::onDispatcher.assertCurrent();
            store.changeNow(*this);
        }
    };
    // Made before the queue is locked, and whole when the queue refuses it.
    template <class Apply>
    struct Posted {
        std::unique_ptr<Change<Apply>> change;
        void operator()() { (*change)(); }
    };

    template <class Apply>
    Posted<Apply> prepare(Apply apply, nio::SelectorThread* thread, Store::Done done);

    template <class Apply>
    void changeNow(Change<Apply>& change) NIO_REQUIRES(nio::onDispatcher);
    template <class Apply>
    auto changeAloneNow(Apply& apply) NIO_REQUIRES(nio::onDispatcher);
    template <class Apply>
    void tryNow(Apply& apply) NIO_REQUIRES(nio::onDispatcher);
    void beginNow() NIO_REQUIRES(nio::onDispatcher);
    void endChangeNow() NIO_REQUIRES(nio::onDispatcher);
    void postCommitNow() NIO_REQUIRES(nio::onDispatcher);
    void commitNow() NIO_REQUIRES(nio::onDispatcher);
    void removeNow(const Removals& removals) NIO_REQUIRES(nio::onDispatcher);
    void repeatNow() NIO_REQUIRES(nio::onDispatcher);
    bool repeatPieceNow() NIO_REQUIRES(nio::onDispatcher);
    bool tryRemoveNow(const Removals& some) NIO_REQUIRES(nio::onDispatcher);
    bool tryCommitNow() NIO_REQUIRES(nio::onDispatcher);
    void tryAgainLater() NIO_REQUIRES(nio::onDispatcher);
    void undoNow(const std::string& why) NIO_REQUIRES(nio::onDispatcher);
    void checkpointNow() NIO_REQUIRES(nio::onDispatcher);
    void complainNow(const std::string& what) NIO_REQUIRES(nio::onDispatcher);
    void releaseFile();

    const std::string path_;
    Store::Figures figures_;
    std::atomic<bool> closing_{false};
    std::mutex close_;

    std::unique_ptr<StoreTables> tables_ NIO_GUARDED_BY(nio::onDispatcher);
    CommitBatch batch_ NIO_GUARDED_BY(nio::onDispatcher);
    std::size_t batched_ NIO_GUARDED_BY(nio::onDispatcher) = 0;  // changes in it; 0: none is open
    bool commitPosted_ NIO_GUARDED_BY(nio::onDispatcher) = false;
    Removals removals_ NIO_GUARDED_BY(nio::onDispatcher);             // of the open batch
    Removals undone_ NIO_GUARDED_BY(nio::onDispatcher);               // of those before it
    std::size_t piece_ NIO_GUARDED_BY(nio::onDispatcher) = maxBatch;  // of them, in a commit
    bool repeatsLater_ NIO_GUARDED_BY(nio::onDispatcher) = false;     // not with the next commit
    // Why the open batch cannot be committed; its further changes are not tried.
    std::optional<std::string> failure_ NIO_GUARDED_BY(nio::onDispatcher);
    std::optional<nio::Deadline> nextTry_ NIO_GUARDED_BY(nio::onDispatcher);
    nio::LogLimiter complaints_ NIO_GUARDED_BY(nio::onDispatcher){std::chrono::minutes(1)};

    nio::SelectorThread thread_;  // last: it ends first
};

// --- templates ------------------------------------------------------------------------------

template <std::invocable<StoreTables&> Apply>
void StoreThread::change(Apply apply, nio::SelectorThread& thread, Store::Done done) {
    auto task = prepare(std::move(apply), &thread, std::move(done));
    if (thread_.invokeLater(std::move(task))) return;
    figures_.queued.fetch_sub(1, std::memory_order_relaxed);
    CommitBatch::answerOne(thread, std::move(task.change->done), false);
}

template <std::invocable<StoreTables&> Apply>
void StoreThread::change(Apply apply) {
    auto task = prepare(std::move(apply), nullptr, {});
    if (thread_.queue()->push(std::move(task), nio::TaskQueue::Post::exempt)) return;
    figures_.queued.fetch_sub(1, std::memory_order_relaxed);
}

template <std::invocable<StoreTables&> Apply>
auto StoreThread::changeAndWait(Apply apply) {
    auto changed = thread_.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        return changeAloneNow(apply);
    });
    if (changed) return std::move(changed).value();
    throw std::runtime_error("store " + path_ + ": " + changed.error().message());
}

// Counted here, since it may have been committed before the caller of push() goes on.
template <class Apply>
StoreThread::Posted<Apply> StoreThread::prepare(Apply apply, nio::SelectorThread* thread,
                                                Store::Done done) {
    figures_.queued.fetch_add(1, std::memory_order_relaxed);
    return {std::unique_ptr<Change<Apply>>(
        new Change<Apply>{*this, std::move(apply), thread, std::move(done)})};
}

template <class Apply>
void StoreThread::changeNow(Change<Apply>& change) {
    if (batched_ == 0) beginNow();
    tryNow(change.apply);
    if (change.thread != nullptr) batch_.add(*change.thread, std::move(change.done));
    endChangeNow();
}

template <class Apply>
void StoreThread::tryNow(Apply& apply) {
    if (failure_) return;
    try {
        apply(*tables_);
    } catch (const std::exception& error) {
        failure_ = error.what();
    }
}

template <class Apply>
auto StoreThread::changeAloneNow(Apply& apply) {
    commitNow();
    while (!undone_.isEmpty() && repeatPieceNow()) continue;
    tables_->begin();
    try {
        auto made = apply(*tables_);
        tables_->commit();
        return made;
    } catch (...) {
        tables_->rollback();
        throw;
    }
}

}  // namespace router
