// The part of StreamHandler that ends a connection: close, failure, drain. The rest of the state
// machine is in StreamHandler.cpp.
#include <nio/connection/StreamHandler.h>

#include <algorithm>
#include <new>

#include <nio/loop/SelectorThread.h>

namespace nio {

void StreamHandler::handleOverload() {
    end(Error(Errc::memoryBudget), true);
}

void StreamHandler::end(std::optional<Error> reason, bool reset) {
    if (ended_) return;
    if (!channel_.isRegistered()) return channel_.close();
    ended_ = true;
    idle_.reset();
    if (!reason && ending_ != nullptr) reason = std::move(ending_->reason);
    // A failure does not discard what the protocol has sent before.
    try {
        if (!reset && filtered_ != nullptr) encodeOutput();
    } catch (const std::bad_alloc&) {
        if (!reason) reason = std::errc::not_enough_memory;
        reset = true;
    }
    if (!reset) (void)channel_.flush();
    struct Close {
        SocketChannel& channel;
        bool reset;
        ~Close() { reset ? channel.abort() : channel.close(); }
    } close{channel_, reset};
    countClosed(closeReasonOf(reason), reason ? reason->code().value() : 0);
    const Callback callback(*this);
    connectionClosed(reason);
}

// The channel was closed directly, not through this class: tell the protocol, too.
void StreamHandler::handleClosed() {
    tellClosed(std::nullopt);
}

// Must not allocate: memory may be exhausted.
void StreamHandler::lost(const Error& error) {
    tellClosed(Error(error.code(), "move"));
}

void StreamHandler::tellClosed(const std::optional<Error>& reason) {
    if (ended_) return;
    ended_ = true;
    idle_.reset();
    countClosed(CloseReason::other, 0);
    const Callback callback(*this);
    connectionClosed(reason);
}

void StreamHandler::countClosed(CloseReason reason, int code) {
    dispatcher().meter().closed(reason);
    const auto* registration = static_cast<const Registration*>(channel_.registration());
    dispatcher().recorder().ends(registration == nullptr ? UINT32_MAX : registration->slot, reason,
                                 code);
}

void StreamHandler::handleDrain(const DrainOptions& options) {
    special_.draining = true;
    // A peer that does not answer our FIN has lost nothing: report no lost bytes.
    ending().lingerTime = std::min(options_->lingerTimeout, options.deadline / 4);
    if (lingers_) return awaitPeer(ending().lingerTime);
    ending().quietPeriod = options.quietPeriod;
    ending().readBudget = options.readBudgetBytes;
    endDeadline().wakeAfter(options.quietPeriod);
}

StreamHandler::Ending& StreamHandler::ending() {
    if (ending_ == nullptr) {
        ending_ = std::make_unique<Ending>();
        ending_->lingerTime = options_->lingerTimeout;
    }
    return *ending_;
}

Deadline& StreamHandler::endDeadline() {
    std::optional<Deadline>& deadline = ending().deadline;
    if (!deadline) {
        deadline.emplace(dispatcher().deadlines(), [this] {
            onDispatcher.assertCurrent();
            deadlineOver();
        });
    }
    return *deadline;
}

// Linger while the peer makes progress.
void StreamHandler::linger(bool progress) {
    if (lingers_ && !progress) return;
    if (!lingers_) ending().lingerEnd = Clock::after(options_->lingerLimit);
    lingers_ = true;
    idle_.reset();
    ending().undelivered = channel_.undeliveredBytes();
    awaitPeer(ending().lingerTime);
}

// A drain has a deadline of its own.
void StreamHandler::awaitPeer(std::chrono::milliseconds time) {
    const TimePoint when = Clock::after(time);
    endDeadline().wakeAt(special_.draining ? when : std::min(when, ending().lingerEnd));
}

// Closing now would reset a peer that still sends, and destroy output in the kernel's buffers.
// Output that the engine has sent since the last check is progress, too.
bool StreamHandler::isPeerTaking() {
    const bool mayWait = special_.draining || Clock::now() < ending().lingerEnd;
    const std::size_t before = ending().undelivered;
    ending().undelivered = channel_.undeliveredBytes();
    return mayWait && ending().undelivered > 0 && ending().undelivered != before;
}

void StreamHandler::setBusy(bool busy) {
    assertHere("setBusy");
    settleLater();
    busy_ = busy;
}

void StreamHandler::deadlineOver() {
    constexpr std::chrono::milliseconds notMoreOften{10};
    if (lingers_) {
        const bool unsent = pendingBytes() > 0;
        // A peer that reads its answers slowly gets all of the drain timeout, not a quarter.
        if ((special_.draining && unsent) || isPeerTaking()) {
            return awaitPeer(std::max(ending().lingerTime, notMoreOften));
        }
        return end(unsent ? std::optional<Error>(Error(Errc::timedOut, "close")) : std::nullopt,
                   unsent);
    }
    // Not quiet: a protocol waiting for an answer, or a peer reading slowly.
    const bool busy = busy_ || special_.paused || aboveMark_ || special_.revisits;
    if (busy) return endDeadline().wakeAfter(std::max(ending().quietPeriod, notMoreOften));
    // Input may have arrived while this dispatcher was busy: read once before considering it quiet.
    const bool looksAgain = !std::exchange(ending().lookedAgain, true);
    if (looksAgain) return endDeadline().wakeAfter(Clock::duration::zero());
    closeAfterFlush();
}

void StreamHandler::restartQuietPeriod() {
    if (!special_.draining || special_.closing || lingers_) return;
    ending().lookedAgain = false;
    endDeadline().wakeAfter(ending().quietPeriod);
}

void StreamHandler::spendBudget(std::size_t bytes) {
    Ending& end = ending();
    end.lookedAgain = false;
    end.readBudget -= std::min(end.readBudget, bytes);
    const bool spent = autoPause_ && end.readBudget == 0;
    endDeadline().wakeAfter(spent ? Clock::duration::zero() : end.quietPeriod);
}

}  // namespace nio
