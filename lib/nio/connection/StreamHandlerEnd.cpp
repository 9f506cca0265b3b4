// The part of StreamHandler that ends a connection: closed, failed, drained. The state machine
// before that is in StreamHandler.cpp.
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
    // What the protocol has said before is not taken back by a reason to end.
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

// Closed by somebody who went past this class: the protocol is told all the same.
void StreamHandler::handleClosed() {
    tellClosed(std::nullopt);
}

// There may be no memory: these few letters need none.
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
    // A peer that does not answer our FIN must not look as if it had lost something.
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

// The peer is waited for as long as it makes progress.
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

// What the kernel holds would be destroyed by the RST that a peer gets who still sends. An engine
// may have sent since the last look: that is progress too.
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
        // A peer that is slow to take its answers has all of the drain's time, not a quarter of it.
        if ((special_.draining && unsent) || isPeerTaking()) {
            return awaitPeer(std::max(ending().lingerTime, notMoreOften));
        }
        return end(unsent ? std::optional<Error>(Error(Errc::timedOut, "close")) : std::nullopt,
                   unsent);
    }
    // A protocol that waits for an answer, or a peer that is slow to take one, is not quiet.
    const bool busy = busy_ || special_.paused || aboveMark_ || special_.revisits;
    if (busy) return endDeadline().wakeAfter(std::max(ending().quietPeriod, notMoreOften));
    // What came while this dispatcher was busy is not read yet: one look before it is called quiet.
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
