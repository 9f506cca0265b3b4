#include <nio/connection/StreamHandler.h>

#include <algorithm>
#include <tuple>

#include <nio/base/Guarded.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

StreamHandler::StreamHandler(SocketChannel channel, std::shared_ptr<const StreamOptions> options)
    : options_(std::move(options)),
      channel_(std::move(channel)),
      autoPause_(!channel_.isOutgoing()) {}

ChannelHandle StreamHandler::handle() {
    return dispatcher().handleOf(channel_);
}

// --- what the dispatcher calls --------------------------------------------------------------

void StreamHandler::handleRegistered() {
    watchIdle();
    {
        const Callback callback(*this);
        if (filtered_ != nullptr) beginFilter();
        connectionOpened();
    }
    settle();
}

void StreamHandler::handleRead() {
    {
        const Callback callback(*this);
        // A task of this turn may have paused it.
        const bool takes = !special_.paused || wantsInput();
        if (takes && channel_.isOpen()) received(channel_.receive());
    }
    settle();
}

void StreamHandler::received(const Received& received) {
    if (received.status != IoStatus::done) [[unlikely]]
        return receivedNothing(received);
    touchIdle();
    if (special_.draining && !special_.closing) spendBudget(received.bytes.size());
    filtered_ == nullptr ? take(received.bytes) : decodeInput(received.bytes);
}

void StreamHandler::receivedNothing(const Received& received) {
    switch (received.status) {
        case IoStatus::closed: return endOfStream();
        case IoStatus::failed: return end(Error(received.code, "receive"), false);
        case IoStatus::wouldBlock:
        case IoStatus::done: return;
    }
}

void StreamHandler::take(ByteView bytes) {
    special_.closing ? throwAway(bytes) : bytesArrived(bytes);
}

void StreamHandler::throwAway(ByteView bytes) {
    ending().thrownAway += bytes.size();
}

void StreamHandler::endOfStream() {
    special_.peerFinished = true;
    if (filtered_ != nullptr && tellCutOff()) return;
    if (!special_.closing) peerFinished();
}

void StreamHandler::handleWrite() {
    settle();
}
void StreamHandler::handleFlush() {
    settle();
}

void StreamHandler::handleRevisit() {
    {
        const Callback callback(*this);
        special_.revisits = false;
        if (mayDeliver()) inputRevisited();
    }
    settle();
}

void StreamHandler::watchIdle() {
    if (options_->idleTimeout == std::chrono::milliseconds::zero()) return;
    idle_ = std::make_unique<IdleHook>(*this);
    dispatcher().idleTimeouts().watch(*idle_, options_->idleTimeout);
}

void StreamHandler::handleIdle() {
    end(Error(Errc::timedOut, "idle"), false);
}

void StreamHandler::handleFailure(std::exception_ptr exception) {
    inCallback_ = false;
    end(Error(Errc::handlerFailed, whatOf(exception)), true);
}

Remains StreamHandler::remains() const {
    const std::size_t thrownAway = ending_ == nullptr ? 0 : ending_->thrownAway;
    return {pendingBytes() + (filtered_ == nullptr ? 0 : filtered_->lostBytes),
            keptInputBytes() + channel_.unreadBytes() + thrownAway};
}

// A closing connection has a deadline and counters of its first dispatcher.
bool StreamHandler::isMovable() const {
    return options_->movable && !special_.closing && !special_.draining && !ended_ &&
           ending_ == nullptr && !relayed_;
}

void StreamHandler::leaving() {
    {
        const Callback callback(*this);
        connectionLeaving();
    }
    if (idle_ != nullptr) idle_->suspend();
    if (counted_) dispatcher().countBuffered(channel_, 0);
}

void StreamHandler::arrived() {
    if (idle_ != nullptr) dispatcher().idleTimeouts().resume(*idle_, options_->idleTimeout);
    {
        const Callback callback(*this);
        connectionArrived();
    }
    settle();
}

// --- what the protocol calls ----------------------------------------------------------------

void StreamHandler::send(ByteView bytes) {
    assertHere("send");
    if (!maySend()) return;
    // Allocates first: if that throws, nothing has been sent.
    settleLater();
    if (filtered_ != nullptr) return sendFiltered(bytes);
    channel_.append(bytes);
    wroteSome_ = true;
    checkOutputLimit();
}

void StreamHandler::sendThrough(ByteView bytes) {
    assertHere("sendThrough");
    if (!maySend()) return;
    settleLater();
    if (filtered_ != nullptr) return sendFiltered(bytes);
    const IoResult sent = writeThrough(bytes);
    if (sent.isFailed()) [[unlikely]]
        return sendFailed(sent);
    if (sent.bytes > 0) touchIdle();
    wroteSome_ = true;
    checkOutputLimit();
}

// A partly sent packet whose rest cannot be kept ends the connection: the peer would take what
// follows for the rest.
IoResult StreamHandler::writeThrough(ByteView bytes) try {
    return channel_.write(bytes);
} catch (...) {
    end(Error(std::errc::not_enough_memory), true);
    throw;
}

void StreamHandler::sendFailed(const IoResult& sent) {
    end(sent.error("send"), false);
}

void StreamHandler::outputLimitPassed() {
    end(Error(Errc::outputLimit), true);
}

// Here and below allocations come first: if one throws, nothing has changed.
void StreamHandler::pauseReading() {
    assertHere("pauseReading");
    settleLater();
    special_.paused = true;
}

void StreamHandler::resumeReading() {
    assertHere("resumeReading");
    if (!special_.paused) return;
    if (channel_.isRegistered()) {
        settleLater();
        if (keptInputBytes() > 0) revisitInput();
    }
    special_.paused = false;
}

void StreamHandler::setAutoPause(bool on) {
    assertHere("setAutoPause");
    settleLater();
    autoPause_ = on;
}

void StreamHandler::revisitInput() {
    dispatcher().revisitLater(channel_);
    special_.revisits = true;
}

void StreamHandler::closeAfterFlush() {
    assertHere("closeAfterFlush");
    settleLater();
    special_.closing = true;
}

void StreamHandler::failAfterFlush(Error reason) {
    assertHere("failAfterFlush");
    if (special_.closing || !channel_.isOpen()) return;
    settleLater();
    ending().reason = std::move(reason);
    special_.closing = true;
}

void StreamHandler::shutdownWrite() {
    assertHere("shutdownWrite");
    settleLater();
    special_.finWanted = true;
}

void StreamHandler::abort() {
    assertHere("abort");
    end(Error(Errc::cancelled), true);
}

void StreamHandler::settleLater() {
    if (!inCallback_ && channel_.isRegistered()) dispatcher().flushLater(channel_);
}

// --- after every callback -------------------------------------------------------------------

void StreamHandler::settle() {
    if (!isInSteadyState() || counted_) [[unlikely]]
        return settleRest();
    if (wroteSome_ && !tellFlushed()) [[unlikely]]
        return settleRest();
    dispatcher().setChannelInterestNow(channel_, Interest::read);
}

bool StreamHandler::isInSteadyState() const {
    return !special_.any() && filtered_ == nullptr && channel_.pendingBytes() == 0 &&
           channel_.isOpen();
}

void StreamHandler::settleRest() {
    bool progress = false;
    if (filtered_ != nullptr) settleFilter();
    if (!channel_.isOpen() || !flushOutput(progress)) return;
    if (wroteSome_ && pendingBytes() == 0) (void)tellFlushed();
    if (channel_.isOpen() && pendingBytes() == 0) finishWriting();
    if (!channel_.isOpen()) return;
    if (special_.closing) linger(progress);
    if (pendingBytes() > 0 || counted_ || channel_.hasUnread() || filterHolds() > 0) {
        countBuffered();
    }
    updateInterest();
}

bool StreamHandler::flushOutput(bool& progress) {
    const std::size_t before = pendingBytes();
    if (before == 0) return true;
    const IoResult sent = channel_.flush();
    if (sent.isFailed()) [[unlikely]]
        return sendFailed(sent), false;
    progress = pendingBytes() < before;
    if (progress) touchIdle();
    return true;
}

bool StreamHandler::tellFlushed() {
    wroteSome_ = false;
    {
        const Callback callback(*this);
        outputFlushed();
    }
    if (pendingBytes() > 0 || wroteSome_) settleLater();
    return isInSteadyState();
}

void StreamHandler::finishWriting() {
    if (!special_.closing && !special_.finWanted) return;
    if (finishIsDeferred()) return settleLater();
    if (endWaits()) return;
    // Nothing is left to read: close() sends our FIN.
    const bool inputLeft = relayed_ && !special_.closing && keptInputBytes() > 0;
    if (special_.peerFinished && !special_.revisits && !inputLeft) return end(std::nullopt, false);
    if (!special_.finSent) {
        special_.finSent = true;
        // An error is ignored here: the next read reports it.
        (void)channel_.shutdownWrite().ok();
    }
}

// The result of a send in flight arrives with the next select; a short send must be repeated first.
bool StreamHandler::endWaits() {
    return (special_.closing || special_.finWanted) && special_.peerFinished &&
           !special_.revisits && channel_.isSending();
}

// An end of stream that the filter found in the same read as the last bytes is reported after their
// delivery, like a FIN.
void StreamHandler::settleFilter() {
    const bool inputWaits = special_.paused || special_.readsPaused || special_.revisits;
    if (channel_.isOpen() && peerFinishedIsDeferred() && (special_.closing || !inputWaits)) {
        const Callback callback(*this);
        endOfStream();
    }
    if (!channel_.isOpen()) return;
    encodeOutput();
    finishFilter();
}

bool StreamHandler::wantsInput() const {
    if (special_.peerFinished) return false;
    if (special_.closing) return true;
    if (filtered_ != nullptr) {
        if (peerFinishedIsDeferred()) return false;
        if (!filtered_->filter->isReady()) return !isBudgetSpent();
    }
    return !special_.paused && !special_.readsPaused && !special_.revisits && !isBudgetSpent();
}

// A connection paused by its own mark resumes at its own low-water mark, not with the budget.
bool StreamHandler::isAboveMark() {
    if (pendingBytes() > options_->outputHighMark) {
        budgetPaused_ = false;
        return true;
    }
    if (pendingBytes() > 0 && isShortOfMemory()) {
        if (!aboveMark_) budgetPaused_ = true;
        return true;
    }
    if (budgetPaused_ || pendingBytes() <= options_->outputLowMark()) {
        budgetPaused_ = false;
        return false;
    }
    return aboveMark_;
}

void StreamHandler::markCrossed() {
    aboveMark_ = !aboveMark_;
    if (budgetPaused_) dispatcher().memory().countPaused();
    const auto state = [this] {
        return std::tuple(std::bit_cast<std::uint8_t>(special_), pendingBytes(), bool{wroteSome_});
    };
    const auto before = state();
    {
        const Callback callback(*this);
        aboveMark_ ? outputAboveMark() : outputBelowMark();
    }
    if (state() != before) settleLater();
}

void StreamHandler::updateMark() {
    if (isAboveMark() != aboveMark_) markCrossed();
    const bool readsPaused = aboveMark_ && autoPause_;
    const bool goesOn = special_.readsPaused && !readsPaused && channel_.isOpen();
    if (goesOn && (keptInputBytes() > 0 || peerFinishedIsDeferred())) revisitInput();
    special_.readsPaused = readsPaused;
}

void StreamHandler::updateInterest() {
    if (aboveMark_ || pendingBytes() > 0) [[unlikely]] {
        updateMark();
        if (!channel_.isOpen()) return;
    }
    Interest wanted = Interest::none;
    if (wantsInput()) wanted = wanted | Interest::read;
    if (channel_.pendingBytes() > 0 || endWaits()) wanted = wanted | Interest::write;
    dispatcher().setChannelInterestNow(channel_, wanted);
}

// --- the memory budget ----------------------------------------------------------------------

void StreamHandler::countBuffered() {
    std::size_t bytes = channel_.pendingMemory() + channel_.unreadBytes() + keptInputMemory();
    if (filtered_ != nullptr) bytes += filtered_->plain.memory() + filterHolds();
    counted_ = bytes > 0;
    dispatcher().countBuffered(channel_, bytes, evictFirst_);
}

void StreamHandler::setEvictFirst(bool evictFirst) {
    assertHere("setEvictFirst");
    evictFirst_ = evictFirst;
    if (counted_) countBuffered();
}

bool StreamHandler::isShortOfMemory() const {
    return dispatcher().memory().pausesReading();
}

void StreamHandler::handlePressure() {
    if (channel_.isOpen() && !ended_) updateInterest();
}

}  // namespace nio
