#include <nio/handlers/StreamHandler.h>

#include <algorithm>

#include <nio/dispatch/SelectorThread.h>

namespace nio {

// Round everything that may call the protocol: what it sends meanwhile leaves when it returns.
class StreamHandler::Callback {
  public:
    explicit Callback(StreamHandler& handler) : handler_(handler), outer_(handler.inCallback_) {
        handler_.inCallback_ = true;
    }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;
    ~Callback() { handler_.inCallback_ = outer_; }

  private:
    StreamHandler& handler_;
    const bool outer_;
};

StreamHandler::StreamHandler(SocketChannel channel, std::shared_ptr<const StreamOptions> options)
    : channel_(std::move(channel)), options_(std::move(options)) {}

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
        if (channel_.isOpen()) received(channel_.receive());
    }
    settle();
}

void StreamHandler::received(const Received& received) {
    switch (received.status) {
        case IoStatus::wouldBlock: return;
        case IoStatus::closed: return endOfStream();
        case IoStatus::failed: return end(Error(received.code, "receive"), false);
        case IoStatus::done: break;
    }
    touchIdle();
    if (draining_ && !closing_) spendBudget(received.bytes.size());
    filtered_ == nullptr ? take(received.bytes) : decodeInput(received.bytes);
}

void StreamHandler::take(ByteView bytes) {
    if (closing_) {
        ending().thrownAway += bytes.size();
        return;
    }
    bytesArrived(bytes);
}

void StreamHandler::endOfStream() {
    peerFinished_ = true;
    if (filtered_ != nullptr && tellCutOff()) return;
    if (!closing_) peerFinished();
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
        revisits_ = false;
        if (mayDeliver()) inputRevisited();
    }
    settle();
}

void StreamHandler::watchIdle() {
    if (options_->idleTimeout == std::chrono::milliseconds::zero()) return;
    idle_ = std::make_unique<IdleHook>(*this);
    dispatcher().watchIdle(*idle_, options_->idleTimeout);
}

void StreamHandler::handleIdle() {
    end(Error(Errc::timedOut, "idle"), false);
}

void StreamHandler::handleFailure(std::exception_ptr exception) {
    inCallback_ = false;
    std::string what = "an exception";
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        what = error.what();
    } catch (...) {
    }
    end(Error(Errc::handlerFailed, std::move(what)), true);
}

Remains StreamHandler::remains() const {
    const std::size_t thrownAway = ending_ == nullptr ? 0 : ending_->thrownAway;
    return {pendingBytes() + (filtered_ == nullptr ? 0 : filtered_->lostBytes),
            keptInputBytes() + channel_.unreadBytes() + thrownAway};
}

// What ends has a deadline and an account of the dispatcher where it began.
bool StreamHandler::isMovable() const {
    return options_->movable && !closing_ && !draining_ && !ended_ && ending_ == nullptr;
}

void StreamHandler::leaving() {
    {
        const Callback callback(*this);
        connectionLeaving();
    }
    if (idle_ != nullptr) idle_->suspend();
}

void StreamHandler::arrived() {
    if (idle_ != nullptr) dispatcher().resumeIdle(*idle_, options_->idleTimeout);
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
    if (filtered_ != nullptr) return sendFiltered(bytes);
    channel_.append(bytes);
    wroteSome_ = true;
    checkOutputLimit();
    settleLater();
}

void StreamHandler::sendThrough(ByteView bytes) {
    assertHere("sendThrough");
    if (!maySend()) return;
    if (filtered_ != nullptr) return sendFiltered(bytes);
    const IoResult sent = channel_.write(bytes);
    if (sent.isFailed()) return end(sent.error("send"), false);
    wroteSome_ = true;
    checkOutputLimit();
    settleLater();
}

void StreamHandler::checkOutputLimit() {
    if (pendingBytes() > options_->outputLimit) end(Error(Errc::outputLimit), true);
}

void StreamHandler::pauseReading() {
    assertHere("pauseReading");
    paused_ = true;
    settleLater();
}

void StreamHandler::resumeReading() {
    assertHere("resumeReading");
    if (!paused_) return;
    paused_ = false;
    if (!channel_.isRegistered()) return;
    if (keptInputBytes() > 0) revisitInput();
    settleLater();
}

void StreamHandler::revisitInput() {
    revisits_ = true;
    dispatcher().revisitLater(channel_);
}

void StreamHandler::closeAfterFlush() {
    assertHere("closeAfterFlush");
    closing_ = true;
    settleLater();
}

void StreamHandler::failAfterFlush(Error reason) {
    assertHere("failAfterFlush");
    if (closing_ || !channel_.isOpen()) return;
    ending().reason = std::move(reason);
    closeAfterFlush();
}

void StreamHandler::shutdownWrite() {
    assertHere("shutdownWrite");
    finWanted_ = true;
    settleLater();
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
    bool progress = false;
    if (filtered_ != nullptr) settleFilter();
    if (!channel_.isOpen() || !flushOutput(progress)) return;
    if (wroteSome_ && pendingBytes() == 0) tellFlushed();
    if (channel_.isOpen() && pendingBytes() == 0) finishWriting();
    if (!channel_.isOpen()) return;
    if (closing_) linger(progress);
    updateInterest();
}

bool StreamHandler::flushOutput(bool& progress) {
    const std::size_t before = pendingBytes();
    if (before == 0) return true;
    const IoResult sent = channel_.flush();
    if (sent.isFailed()) return end(sent.error("send"), false), false;
    progress = pendingBytes() < before;
    if (progress) touchIdle();
    return true;
}

void StreamHandler::tellFlushed() {
    wroteSome_ = false;
    {
        const Callback callback(*this);
        outputFlushed();
    }
    if (pendingBytes() > 0) settleLater();
}

void StreamHandler::finishWriting() {
    if (!closing_ && !finWanted_) return;
    if (owesFinish()) return settleLater();
    if (endWaits()) return;
    // Nothing is left to read: closing is our FIN.
    if (peerFinished_ && !revisits_) return end(std::nullopt, false);
    if (!finSent_) {
        finSent_ = true;
        // A peer that is gone already is found out by the next read.
        (void)channel_.shutdownWrite().ok();
    }
}

// For the outcome of a send, which comes with the next select: what falls short is sent again.
bool StreamHandler::endWaits() {
    return (closing_ || finWanted_) && peerFinished_ && !revisits_ && channel_.isSending();
}

// What a filter learned from the peer in the same read as the last bytes is told when these have
// been delivered, as a FIN is.
void StreamHandler::settleFilter() {
    const bool inputWaits = paused_ || pressed_ || revisits_;
    if (channel_.isOpen() && owesPeerFinished() && (closing_ || !inputWaits)) {
        const Callback callback(*this);
        endOfStream();
    }
    if (!channel_.isOpen()) return;
    encodeOutput();
    finishFilter();
}

bool StreamHandler::wantsInput() const {
    if (peerFinished_) return false;
    if (closing_) return true;
    if (filtered_ != nullptr) {
        if (owesPeerFinished()) return false;
        if (!filtered_->filter->isReady()) return !isBudgetSpent();
    }
    return !paused_ && !pressed_ && !revisits_ && !isBudgetSpent();
}

void StreamHandler::updateInterest() {
    if (isOutputHigh()) pressed_ = true;
    if (pressed_ && pendingBytes() <= options_->outputLowMark()) {
        pressed_ = false;
        if (keptInputBytes() > 0 || owesPeerFinished()) revisitInput();
    }
    Interest wanted = Interest::none;
    if (wantsInput()) wanted = wanted | Interest::read;
    if (channel_.pendingBytes() > 0 || endWaits()) wanted = wanted | Interest::write;
    dispatcher().setChannelInterestNow(channel_, wanted);
}

// --- the end --------------------------------------------------------------------------------

void StreamHandler::end(std::optional<Error> reason, bool reset) {
    if (ended_) return;
    if (!channel_.isRegistered()) return channel_.close();
    ended_ = true;
    idle_.reset();
    if (!reason && ending_ != nullptr) reason = std::move(ending_->reason);
    // What the protocol has said before is not taken back by a reason to end.
    if (!reset && filtered_ != nullptr) encodeOutput();
    if (!reset) (void)channel_.flush();
    struct Close {
        SocketChannel& channel;
        bool reset;
        ~Close() { reset ? channel.abort() : channel.close(); }
    } close{channel_, reset};
    const Callback callback(*this);
    connectionClosed(reason);
}

// Closed by somebody who went past this class: the protocol is told all the same.
void StreamHandler::handleClosed() {
    if (ended_) return;
    ended_ = true;
    idle_.reset();
    const Callback callback(*this);
    connectionClosed(std::nullopt);
}

void StreamHandler::handleDrain(const DrainOptions& options) {
    draining_ = true;
    // A peer that does not answer our FIN must not look as if it had lost something.
    ending().lingerTime = std::min(options_->lingerTimeout, options.deadline / 4);
    if (lingers_) return ending().deadline.wakeAfter(ending().lingerTime);
    ending().quietPeriod = options.quietPeriod;
    ending().readBudget = options.readBudgetBytes;
    ending().deadline.wakeAfter(options.quietPeriod);
}

StreamHandler::Ending& StreamHandler::ending() {
    if (ending_ == nullptr) {
        ending_ = std::unique_ptr<Ending>(new Ending{Deadline(dispatcher().deadlines(), [this] {
            onDispatcher.assertCurrent();
            deadlineOver();
        })});
        ending_->lingerTime = options_->lingerTimeout;
    }
    return *ending_;
}

// The peer is waited for as long as it makes progress.
void StreamHandler::linger(bool progress) {
    if (lingers_ && !progress) return;
    lingers_ = true;
    idle_.reset();
    ending().deadline.wakeAfter(ending().lingerTime);
}

void StreamHandler::deadlineOver() {
    if (lingers_) {
        const bool unsent = pendingBytes() > 0;
        return end(unsent ? std::optional<Error>(Error(Errc::timedOut, "close")) : std::nullopt,
                   unsent);
    }
    // A protocol that waits for an answer, or a peer that is slow to take one, is not quiet.
    const bool busy = paused_ || pressed_ || revisits_;
    constexpr std::chrono::milliseconds notMoreOften{10};
    if (busy) return ending().deadline.wakeAfter(std::max(ending().quietPeriod, notMoreOften));
    // What came while this dispatcher was busy is not read yet: one look before it is called quiet.
    const bool looksAgain = !std::exchange(ending().lookedAgain, true);
    if (looksAgain) return ending().deadline.wakeAfter(Clock::duration::zero());
    closeAfterFlush();
}

void StreamHandler::spendBudget(std::size_t bytes) {
    Ending& end = ending();
    end.lookedAgain = false;
    const bool spent = end.readBudget <= bytes;
    end.readBudget = spent ? 0 : end.readBudget - bytes;
    end.deadline.wakeAfter(spent ? Clock::duration::zero() : end.quietPeriod);
}

}  // namespace nio
