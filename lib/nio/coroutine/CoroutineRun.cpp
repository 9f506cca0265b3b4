#include <nio/coroutine/CoroutineRun.h>

#include <stdexcept>

namespace nio {

CoroutineRun::CoroutineRun(StreamHandler& connection)
    : connection_(&connection), home_(connection.dispatcher()) {
    if (connection.options().movable) {
        throw std::logic_error("nio::coroutine: StreamOptions::movable must be off");
    }
}

// --- the connection's events

void CoroutineRun::start(Coroutine<> coroutine) {
    coroutine_ = std::move(coroutine);
    if (!coroutine_.frame()) throw std::logic_error("nio::coroutine: the function is no coroutine");
    waiting_ = coroutine_.frame();
    goOn();
}

void CoroutineRun::peerFinished() {
    hasPeerFinished_ = true;
    wake(Wait::item);
}

void CoroutineRun::closed() {
    timer_.stop();
    connection_ = nullptr;
    if (!isAway_ && !isRunning_) drop();
}

void CoroutineRun::wake(Wait wait) {
    // isAway_ first: the rest belongs to the dispatcher where the coroutine is.
    if (isAway_ || isRunning_ || wait_ != wait) return;
    goOn();
}

// --- the coroutine's steps

void CoroutineRun::awaitTime(TimePoint when, std::coroutine_handle<> waiting) {
    await(Wait::time, waiting);
    if (connection_ == nullptr) return;
    timer_.wakeAt(*connection_, when, [this] {
        onDispatcher.assertCurrent();
        wake(Wait::time);
    });
}

// Runs the coroutine until it waits. It is posted to another dispatcher only here, after resume()
// has returned: before that its frame is still in use.
void CoroutineRun::goOn() {
    for (;;) {
        wait_ = Wait::nothing;
        isRunning_ = true;
        std::exchange(waiting_, nullptr).resume();
        isRunning_ = false;
        if (crossesTo_ == nullptr) break;
        if (cross(*std::exchange(crossesTo_, nullptr))) return;
    }
    if (home_.isCurrent()) {
        onDispatcher.assumeCurrent();
        return settle();
    }
    // Of an end elsewhere the connection hears at home.
    if (coroutine_.frame().done() && !cross(home_)) drop();
}

bool CoroutineRun::cross(SelectorThread& there) {
    const bool leavesHome = home_.isCurrent();
    if (leavesHome) {
        onDispatcher.assumeCurrent();
        isAway_ = true;
        settle();
    }
    // Once it is posted nothing here is ours. Whatever is accepted is run. The way home is free.
    const auto run = shared_from_this();
    Result<void> posted = &there == &home_ ? there.queue()->pushPrepared(run)
                                           : there.queue()->pushOrRefuse([run] { run->perform(); },
                                                                         TaskQueue::Post::limited);
    if (posted.ok()) return true;
    crossed_ = std::move(posted);
    if (leavesHome) isAway_ = false;
    return false;
}

void CoroutineRun::perform() {
    if (!home_.isCurrent()) return goOn();
    onDispatcher.assumeCurrent();
    isAway_ = false;
    guarded(
        [this] {
            onDispatcher.assumeCurrent();
            connection_ == nullptr || coroutine_.frame().done() ? settle() : goOn();
        },
        [this](const std::exception_ptr& thrown) {
            onDispatcher.assumeCurrent();
            if (connection_ != nullptr) connection_->handleFailure(thrown);
            std::rethrow_exception(thrown);
        });
}

// After each step at home. The connection reads while the coroutine waits for an item; to a drain
// it is busy while the coroutine does something else than wait for its peer.
void CoroutineRun::settle() {
    if (!isAway_ && coroutine_.frame().done()) {
        Coroutine<> ended = std::move(coroutine_);
        ended.frame().promise().take();
        if (connection_ != nullptr) connection_->closeAfterFlush();
        return;
    }
    if (connection_ == nullptr) {
        if (!isAway_) drop();
        return;
    }
    const bool pauses = isAway_ || wait_ != Wait::item;
    if (std::exchange(isPaused_, pauses) != pauses) {
        pauses ? connection_->pauseReading() : connection_->resumeReading();
    }
    const bool isBusy = isAway_ || wait_ == Wait::time;
    if (std::exchange(isBusy_, isBusy) != isBusy) connection_->setBusy(isBusy);
}

}  // namespace nio
