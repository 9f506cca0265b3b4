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
        if (filtered_ != nullptr) {
            const Result<void> begun = filtered_->begin(channel_);
            if (!begun) filterFailed(begun.error());
        }
        connectionOpened();
    }
    settle();
}

void StreamHandler::handleRead() {
    {
        const Callback callback(*this);
        // A task of this turn may have paused it.
        const bool takes = !isReadingPaused() || wantsInput();
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

void StreamHandler::decode(ByteView bytes) {
    if (filtered_->hasFailed()) return closing().discard(bytes.size());
    Filtered::PlainInput plain;
    const Result<void> decoded = filtered_->decode(bytes, plain, channel_, special_.finSent);
    if (!plain.bytes().empty()) take(plain.bytes());
    if (!channel_.isOpen()) return;
    if (!decoded) filterFailed(decoded.error());
    checkOutputLimit();
}

void StreamHandler::takeEncoded(ByteView bytes) {
    if (filtered_ != nullptr) return decode(bytes);
    bytesArrived(bytes);
    if (channel_.isOpen()) checkOutputLimit();
}

void StreamHandler::take(ByteView bytes) {
    special_.closing ? closing().discard(bytes.size()) : bytesArrived(bytes);
}

void StreamHandler::endOfStream() {
    special_.peerFinished = true;
    if (filtered_ != nullptr && isCutOff()) return;
    // Held output waits for the peer's answer, also when the connection is closing.
    if (!special_.closing || pendingBytes() > channel_.pendingBytes()) peerFinished();
}

// Whether the network's stream has ended too early. After our own close the peer's end of stream
// does not matter, except during the handshake, which our own output needs.
bool StreamHandler::isCutOff() {
    if (filtered_->hasFailed() || filtered_->hasPeerFinished()) return false;
    const bool ready = filtered_->isReady();
    if (special_.closing && (ready || filtered_->pendingBytes() == 0)) return false;
    const Error error(Errc::truncated, ready ? "receive" : "handshake");
    ready ? failAfterFlush(error) : filterFailed(error);
    return true;
}

void StreamHandler::filterFailed(const Error& error) {
    const bool lostOutput = filtered_->fail(channel_);
    if (lostOutput) wroteSome_ = false;
    if (!special_.closing) return failAfterFlush(error);
    // A closeAfterFlush() in progress stays a normal close unless bytes were lost.
    if (lostOutput) closing().setReason(error);
    settleLater();
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
    if (filtered_ != nullptr) settleFilter();
    if (special_.encodes && channel_.isOpen()) settleEncoding();
    if (!channel_.isOpen() || !flushOutput(progress)) return;
    if (wroteSome_ && pendingBytes() == 0) (void)tellFlushed();
    if (channel_.isOpen() && pendingBytes() == 0) finishWriting();
    if (!channel_.isOpen()) return;
    if (special_.closing) linger(progress);
    if (pendingBytes() > 0 || special_.counted || channel_.hasUnread() || special_.encodes) {
        countBuffered();
    }
    updateInterest();
}

// An end of stream that the filter found in the same read as the last bytes is reported after their
// delivery, like a FIN.
void StreamHandler::settleFilter() {
    const bool inputWaits = !special_.gate.allowsDelivery() || special_.gate.has(Reason::revisit);
    if (channel_.isOpen() && peerFinishedIsDeferred() && (special_.closing || !inputWaits)) {
        const Callback callback(*this);
        endOfStream();
    }
    if (!channel_.isOpen()) return;
    const Result<void> encoded = filtered_->encode(channel_);
    if (!encoded) filterFailed(encoded.error());
    if (!special_.closing && !special_.finWanted) return;
    const Result<void> finished = filtered_->finish(channel_);
    if (!finished) filterFailed(finished.error());
}

void StreamHandler::settleEncoding() {
    const Callback callback(*this);
    if (encodeOutput(special_.closing || special_.finWanted)) endEncoded_ = true;
}

bool StreamHandler::flushOutput(bool& progress) {
    const std::size_t before = pendingBytes();
    if (before == 0) return true;
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
    if (!special_.closing && !special_.finWanted) return;
    if (filtered_ != nullptr && filtered_->finishIsDeferred()) return settleLater();
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
    if (goesOn && (keptInputBytes() > 0 || peerFinishedIsDeferred())) revisitInput();
    if (goesOn && gate.has(Reason::keptEnd)) revisitInput();
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
    if (special_.closing) return true;
    if (filtered_ != nullptr) {
        if (peerFinishedIsDeferred()) return false;
        if (!filtered_->isReady()) return !special_.gate.has(Reason::readBudget);
    }
    if (special_.encodes && needsInput()) return !special_.gate.has(Reason::readBudget);
    return special_.gate.isOpen();
}

void StreamHandler::updateInterest() {
    if (marks_.isAbove() || pendingBytes() > 0) [[unlikely]] {
        updateMark();
        if (!channel_.isOpen()) return;
    }
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
    if (closing_->isLingering()) {
        const bool unsent = pendingBytes() > 0;
        if (closing_->waitsForPeer(unsent, channel_.undeliveredBytes())) return;
        return end(unsent ? std::optional<Error>(Error(Errc::timedOut, "close")) : std::nullopt,
                   unsent);
    }
    // Not quiet: a protocol waiting for an answer, or a peer reading slowly.
    const bool busy =
        busy_ || isReadingPaused() || marks_.isAbove() || special_.gate.has(Reason::revisit);
    if (!closing_->waitsForQuiet(busy)) closeAfterFlush();
}

}  // namespace nio
