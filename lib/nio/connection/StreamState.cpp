#include <nio/connection/StreamState.h>

#include <nio/base/Guarded.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

StreamState::StreamState(SocketChannel channel, std::shared_ptr<const StreamOptions> options)
    : options_(std::move(options)),
      channel_(std::move(channel)),
      markPauses_(!channel_.isOutgoing()) {}

ChannelHandle StreamState::handle() {
    return dispatcher().handleOf(channel_);
}

// --- sending

void StreamState::send(ByteView bytes) {
    assertHere("send");
    if (!maySend()) return;
    // Allocates first: if that throws, nothing has been sent.
    settleLater();
    channel_.append(bytes);
    wroteSome_ = true;
    checkOutputLimit();
}

void StreamState::sendThrough(ByteView bytes) {
    assertHere("sendThrough");
    if (!maySend()) return;
    settleLater();
    IoResult sent;
    try {
        sent = channel_.write(bytes);
    } catch (...) {
        // A partly sent packet whose rest cannot be kept: the peer would take what follows for it.
        endWith(std::errc::not_enough_memory, "", true);
        throw;
    }
    if (sent.isFailed()) [[unlikely]]
        return endWith(sent.code, "send", false);
    if (sent.bytes > 0) idle_.touch();
    wroteSome_ = true;
    const bool isQueued = sent.bytes < bytes.size();
    if (isQueued && channel_.pendingBytes() > options_->outputLimit) [[unlikely]]
        outputLimitPassed();
}

void StreamState::endWith(std::errc code, const char* context, bool reset) {
    end(Error(code, context), reset);
}

void StreamState::outputLimitPassed() {
    end(Error(Errc::outputLimit), true);
}

// --- reading

// Here and below allocations come first: if one throws, nothing has changed.
void StreamState::pauseFor(ReadGate::Reason reason, bool pauses) {
    if (!pauses && !special_.gate.has(reason)) return;
    if (pauses || isRegistered()) settleLater();
    if (!pauses && isRegistered()) {
        const bool endIsKept = special_.gate.has(ReadGate::Reason::keptEnd);
        if (keptInputBytes() > 0 || (endIsKept && reason != ReadGate::Reason::keptEnd)) {
            revisitInput();
        }
    }
    special_.gate.set(reason, pauses);
}

void StreamState::setAutoPause(bool on) {
    assertHere("setAutoPause");
    settleLater();
    autoPause_ = markPauses_ = on;
}

void StreamState::revisitInput() {
    dispatcher().revisitLater(channel_);
    special_.gate.set(ReadGate::Reason::revisit, true);
}

// --- closing

void StreamState::closeAfterFlush() {
    assertHere("closeAfterFlush");
    settleLater();
    special_.closing = true;
}

void StreamState::failAfterFlush(Error reason) {
    assertHere("failAfterFlush");
    if (special_.closing || !channel_.isOpen()) return;
    settleLater();
    closing().setReason(std::move(reason));
    special_.closing = true;
}

void StreamState::shutdownWrite() {
    assertHere("shutdownWrite");
    settleLater();
    special_.finWanted = true;
}

void StreamState::shutdownRead() {
    assertHere("shutdownRead");
    settleLater();
    special_.gate.set(ReadGate::Reason::keptEnd, false);
    special_.gate.set(ReadGate::Reason::shut, true);
}

void StreamState::abort() {
    assertHere("abort");
    end(Error(Errc::cancelled), true);
}

void StreamState::end(std::optional<Error> reason, bool reset) {
    if (special_.ended) return;
    if (!isRegistered()) return channel_.close();
    special_.ended = true;
    idle_.stop();
    if (!reason && closing_ != nullptr) reason = closing_->takeReason();
    const Callback callback(*this);
    struct Close {
        SocketChannel& channel;
        const bool& reset;
        ~Close() { reset ? channel.abort() : channel.close(); }
    } close{channel_, reset};
    // A failure does not discard what the protocol has sent before.
    if (!reset && special_.encodes) {
        const auto encode = [this] {
            onDispatcher.assumeCurrent();
            (void)encodeOutput(true);
        };
        guarded(encode, [&](const std::exception_ptr& failure) {
            reset = true;
            if (!reason) reason = errorOf(failure);
        });
    }
    if (!reset && channel_.hasDescriptor()) (void)channel_.flush();
    countClosed(closeReasonOf(reason), reason ? reason->code().value() : 0);
    connectionClosed(reason);
}

void StreamState::countClosed(CloseReason reason, int code) {
    dispatcher().observer().meter().closed(reason);
    const auto* registration = static_cast<const Registration*>(channel_.registration());
    dispatcher().observer().recorder().ends(
        registration == nullptr ? UINT32_MAX : registration->slot, reason, code);
}

Closing& StreamState::closing() {
    if (closing_ == nullptr) closing_ = std::make_unique<Closing>(options_->lingerTimeout);
    return *closing_;
}

Remains StreamState::remains() const {
    return {pendingBytes() + (closing_ == nullptr ? 0 : closing_->lostBytes()),
            (special_.gate.has(ReadGate::Reason::shut) ? 0 : keptInputBytes()) +
                channel_.unreadBytes() + (closing_ == nullptr ? 0 : closing_->discardedBytes())};
}

void StreamState::setBusy(bool busy) {
    assertHere("setBusy");
    settleLater();
    busy_ = busy;
}

void StreamState::restartQuietPeriod() {
    if (!special_.draining || special_.closing || closing_->isLingering()) return;
    closing_->restartQuietPeriod();
}

// --- for StreamHandler

void StreamState::settleLater() {
    if (!inCallback_ && isRegistered()) dispatcher().flushLater(channel_);
}

void StreamState::setEvictFirst(bool evictFirst) {
    assertHere("setEvictFirst");
    evictFirst_ = evictFirst;
    if (special_.counted) countBuffered();
}

void StreamState::countBuffered() {
    std::size_t bytes = channel_.pendingMemory() + channel_.unreadBytes() + keptInputMemory();
    special_.counted = bytes > 0;
    dispatcher().countBuffered(channel_, bytes, evictFirst_);
}

}  // namespace nio
