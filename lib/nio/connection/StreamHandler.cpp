#include <nio/connection/StreamHandler.h>

#include <tuple>

#include <nio/base/Guarded.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

using Reason = ReadGate::Reason;

// --- what the dispatcher calls --------------------------------------------------------------

void StreamHandler::handleRegistered() {
    idle_.start(*this, dispatcher().idleTimeouts(), options_->idleTimeout);
    {
        const Callback callback(*this);
        connectionOpened();
    }
    settle();
}

void StreamHandler::handleRead() {
    {
        const Callback callback(*this);
        // A task of this turn may have paused it.
        const bool takes = !special_.any() || !isReadingPaused() || wantsInput();
        if (takes && channel_.isOpen()) received(channel_.receive());
    }
    settle();
}

void StreamHandler::handleRevisit() {
    {
        const Callback callback(*this);
        special_.gate.set(Reason::revisit, false);
        if (mayDeliver()) inputRevisited();
    }
    settle();
}

void StreamHandler::handleIdle() {
    end(Error(Errc::timedOut, "idle"), false);
}

void StreamHandler::handleDrain(const DrainOptions& options) {
    Closing& closing = timedClosing();
    special_.draining = true;
    closing.drain(options);
}

void StreamHandler::handlePressure() {
    if (channel_.isOpen() && !special_.ended) updateInterest();
}

void StreamHandler::handleOverload() {
    end(Error(Errc::memoryBudget), true);
}

void StreamHandler::handleFailure(std::exception_ptr exception) {
    inCallback_ = false;
    end(Error(Errc::handlerFailed, whatOf(exception)), true);
}

// A closing connection has a deadline and counters of its first dispatcher.
bool StreamHandler::isMovable() const {
    return options_->movable && !special_.closing && !special_.draining && !special_.ended &&
           closing_ == nullptr && !relayed_;
}

void StreamHandler::leaving() {
    {
        const Callback callback(*this);
        connectionLeaving();
    }
    idle_.suspend();
    if (special_.counted) dispatcher().countBuffered(channel_, 0);
}

void StreamHandler::arrived() {
    idle_.resume(dispatcher().idleTimeouts(), options_->idleTimeout);
    {
        const Callback callback(*this);
        connectionArrived();
    }
    settle();
}

// Must not allocate: memory may be exhausted.
void StreamHandler::lost(const Error& error) {
    tellClosed(Error(error.code(), "move"));
}

// The channel was closed directly, not through this class: tell the protocol, too.
void StreamHandler::handleClosed() {
    tellClosed(std::nullopt);
}

void StreamHandler::tellClosed(const std::optional<Error>& reason) {
    if (special_.ended) return;
    special_.ended = true;
    idle_.stop();
    countClosed(CloseReason::other, 0);
    const Callback callback(*this);
    connectionClosed(reason);
}

// --- input

void StreamHandler::received(const Received& received) {
    if (received.status != IoStatus::done) [[unlikely]]
        return receivedNothing(received);
    idle_.touch();
    special_.any() ? takeSpecially(received.bytes) : bytesArrived(received.bytes);
}

void StreamHandler::takeSpecially(ByteView bytes) {
    if (special_.draining && !special_.closing) closing_->spend(bytes.size(), autoPause_);
    special_.encodes ? takeEncoded(bytes) : take(bytes);
}

void StreamHandler::receivedNothing(const Received& received) {
    switch (received.status) {
        case IoStatus::closed: return endOfStream();
        case IoStatus::failed: return end(Error(received.code, "receive"), false);
        case IoStatus::wouldBlock:
        case IoStatus::done: return;
    }
}

void StreamHandler::takeEncoded(ByteView bytes) {
    bytesArrived(bytes);
    if (channel_.isOpen()) checkOutputLimit();
}

void StreamHandler::take(ByteView bytes) {
    if (!discardsInput()) return bytesArrived(bytes);
    if (special_.closing) closing().discard(bytes.size());
}

void StreamHandler::endOfStream() {
    special_.peerFinished = true;
    // Held output waits for the peer's answer, also when the connection is closing.
    const bool endsHandshake = !isClosing() && special_.encodes && needsInput();
    if (!discardsInput() || endsHandshake || pendingBytes() > channel_.pendingBytes())
        peerFinished();
}

// --- after every callback

void StreamHandler::settle() {
    const bool isSteady = isInSteadyState() && (!wroteSome_ || tellFlushed());
    if (!isSteady) [[unlikely]]
        return settleRest();
    dispatcher().setChannelInterestNow(channel_, Interest::read);
}

void StreamHandler::settleRest() {
    bool progress = false;
    if (special_.encodes && channel_.isOpen()) settleEncoding();
    if (!channel_.isOpen() || !flushOutput(progress)) return;
    if (wroteSome_ && pendingBytes() == 0) (void)tellFlushed();
    if (channel_.isOpen() && pendingBytes() == 0) finishWriting();
    if (!channel_.isOpen()) return;
    if (special_.closing) linger(progress);
    // Not in shutdownRead(): the delivery that called it puts its rest back.
    if (special_.gate.has(Reason::shut) && keptInputBytes() > 0) inputRevisited();
    if (pendingBytes() > 0 || special_.counted || channel_.hasUnread() || special_.encodes) {
        countBuffered();
    }
    updateInterest();
}

void StreamHandler::settleEncoding() {
    const Callback callback(*this);
    if (encodeOutput(endsOutput())) endEncoded_ = true;
}

// A half-close waits for the handshake: nothing can be written after FIN.
bool StreamHandler::endsOutput() const {
    if (special_.closing || !special_.finWanted) return special_.closing;
    return !special_.encodes || special_.peerFinished || !needsInput();
}

bool StreamHandler::flushOutput(bool& progress) {
    const std::size_t before = pendingBytes();
    if (before == 0 || !channel_.hasDescriptor()) return true;
    const IoResult sent = channel_.flush();
    if (sent.isFailed()) [[unlikely]]
        return end(sent.error("send"), false), false;
    progress = pendingBytes() < before;
    if (progress) idle_.touch();
    return true;
}

inline bool StreamHandler::tellFlushed() {
    wroteSome_ = false;
    {
        const Callback callback(*this);
        outputFlushed();
    }
    if (isInSteadyState() && !wroteSome_) [[likely]]
        return true;
    if (pendingBytes() > 0 || wroteSome_) settleLater();
    return isInSteadyState();
}

void StreamHandler::finishWriting() {
    if (!endsOutput()) return;
    if (special_.encodes && !endEncoded_) return settleLater();
    if (endWaits()) return;
    // Nothing is left to read: close() sends our FIN.
    const bool inputLeft = special_.gate.has(Reason::revisit) ||
                           (!special_.closing && special_.gate.has(Reason::keptEnd));
    if (special_.peerFinished && !inputLeft) return end(std::nullopt, false);
    if (!special_.finSent) {
        special_.finSent = true;
        // An error is ignored here: the next read reports it.
        (void)channel_.shutdownWrite().ok();
    }
}

// The result of a send in flight arrives with the next select; a short send must be repeated first.
bool StreamHandler::endWaits() {
    return (special_.closing || special_.finWanted) && special_.peerFinished &&
           !special_.gate.has(Reason::revisit) && channel_.isSending();
}

void StreamHandler::updateMark() {
    const bool crossed =
        marks_.update(pendingBytes(), options_->outputHighMark, options_->outputLowMark(),
                      dispatcher().memory().pausesReading());
    if (crossed) markCrossed();
    ReadGate& gate = special_.gate;
    const bool readsPaused = marks_.isAbove() && (marks_.isByBudget() ? autoPause_ : markPauses_);
    const bool goesOn = gate.isPausedByOutput() && !readsPaused && channel_.isOpen();
    if (goesOn && (keptInputBytes() > 0 || gate.has(Reason::keptEnd))) revisitInput();
    gate.set(Reason::highMark, readsPaused && !marks_.isByBudget());
    gate.set(Reason::memoryBudget, readsPaused && marks_.isByBudget());
}

void StreamHandler::markCrossed() {
    if (marks_.isByBudget()) dispatcher().memory().countPaused();
    const auto state = [this] {
        return std::tuple(special_.bits(), pendingBytes(), bool{wroteSome_});
    };
    const auto before = state();
    {
        const Callback callback(*this);
        marks_.isAbove() ? outputAboveMark() : outputBelowMark();
    }
    if (state() != before) settleLater();
}

bool StreamHandler::wantsInput() const {
    if (special_.peerFinished) return false;
    if (discardsInput()) return true;
    if (special_.encodes && needsInput()) return !special_.gate.has(Reason::readBudget);
    return special_.gate.isOpen();
}

void StreamHandler::updateInterest() {
    if (marks_.isAbove() || pendingBytes() > 0) [[unlikely]] {
        updateMark();
        if (!channel_.isOpen()) return;
    }
    if (!channel_.hasDescriptor()) return;
    const bool budgetSpent =
        special_.draining && !busy_ && autoPause_ && closing_->isReadBudgetSpent();
    special_.gate.set(Reason::readBudget, budgetSpent);
    Interest wanted = Interest::none;
    if (wantsInput()) wanted = wanted | Interest::read;
    if (channel_.pendingBytes() > 0 || endWaits()) wanted = wanted | Interest::write;
    dispatcher().setChannelInterestNow(channel_, wanted);
}

// --- the end

// Lingers while the peer makes progress.
void StreamHandler::linger(bool progress) {
    Closing& closing = timedClosing();
    if (closing.isLingering() && !progress) return;
    idle_.stop();
    closing.linger(options_->lingerLimit, channel_.undeliveredBytes());
}

Closing& StreamHandler::timedClosing() {
    Closing& timed = closing();
    timed.useDeadline(dispatcher().deadlines(), [this] {
        onDispatcher.assertCurrent();
        deadlineOver();
    });
    return timed;
}

void StreamHandler::deadlineOver() {
    // Another deadline of this turn has closed the connection.
    if (!channel_.isOpen()) return;
    if (closing_->isLingering()) {
        const bool unsent = pendingBytes() > 0;
        if (closing_->waitsForPeer(unsent, channel_.undeliveredBytes())) return;
        return end(unsent ? std::optional<Error>(Error(Errc::timedOut, "close")) : std::nullopt,
                   unsent);
    }
    // Not quiet: a protocol waiting for an answer, or a peer reading slowly.
    const bool busy = busy_ || isReadingPaused() || marks_.isAbove() ||
                      special_.gate.has(Reason::revisit) || isBusyElsewhere();
    if (!closing_->waitsForQuiet(busy)) closeAfterFlush();
}

}  // namespace nio
