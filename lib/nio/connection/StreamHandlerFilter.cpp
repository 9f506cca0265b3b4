// The part of StreamHandler for a ByteFilter. The rest of the state machine is in
// StreamHandler.cpp.
#include <nio/connection/StreamHandler.h>

#include <cassert>

namespace nio {

namespace {

// Nothing can be sent after our FIN: alerts about later input are dropped.
class NetworkSink final : public ByteSink {
  public:
    explicit NetworkSink(SocketChannel& channel, bool finSent = false)
        : channel_(channel), finSent_(finSent) {}
    void append(ByteView bytes) override {
        onDispatcher.assertCurrent();
        if (!finSent_) channel_.append(bytes);
    }

  private:
    SocketChannel& channel_;
    const bool finSent_;
};

// The plain bytes of one read. They use the thread's one buffer, so that idle connections hold
// none; a turn nested in this one finds the buffer in use and allocates another.
class PlainInput final : public ByteSink {
  public:
    PlainInput() : bytes_(std::exchange(spare(), {})) {}
    PlainInput(const PlainInput&) = delete;
    PlainInput& operator=(const PlainInput&) = delete;
    ~PlainInput() {
        bytes_.clear();
        spare() = std::move(bytes_);
    }

    void append(ByteView bytes) override {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    ByteView bytes() const { return bytes_; }

  private:
    static Bytes& spare() {
        thread_local Bytes lent;
        return lent;
    }

    Bytes bytes_;
};

}  // namespace

void StreamHandler::setFilter(std::unique_ptr<ByteFilter> filter) {
    assert(filtered_ == nullptr);
    if (filter != nullptr) filtered_ = std::make_unique<Filtered>(Filtered{std::move(filter)});
}

void StreamHandler::beginFilter() {
    if (std::exchange(filtered_->begun, true)) return;
    NetworkSink network(channel_);
    const Result<void> begun = filtered_->filter->begin(network);
    if (!begun) filterFailed(begun.error());
}

void StreamHandler::decodeInput(ByteView bytes) {
    if (filtered_->failed) {
        ending().thrownAway += bytes.size();
        return;
    }
    NetworkSink network(channel_, special_.finSent);
    PlainInput plain;
    const Result<void> decoded = filtered_->filter->decode(bytes, plain, network);
    if (!plain.bytes().empty()) take(plain.bytes());
    if (!channel_.isOpen()) return;
    if (!decoded) filterFailed(decoded.error());
    checkOutputLimit();
}

void StreamHandler::sendFiltered(ByteView bytes) {
    filtered_->plain.append(bytes, channel_.chunks());
    wroteSome_ = true;
    checkOutputLimit();
}

void StreamHandler::encodeOutput() {
    if (filtered_->failed || !filtered_->filter->isReady()) return;
    OutputQueue& plain = filtered_->plain;
    NetworkSink network(channel_);
    while (!plain.empty()) {
        iovec piece{};
        (void)plain.front({&piece, 1});
        const ByteView bytes(static_cast<const Byte*>(piece.iov_base), piece.iov_len);
        const Result<void> encoded = filtered_->filter->encode(bytes, network);
        if (!encoded) return filterFailed(encoded.error());
        plain.consume(bytes.size(), channel_.chunks());
    }
}

void StreamHandler::finishFilter() {
    if ((!special_.closing && !special_.finWanted) || !finishIsDeferred() ||
        !filtered_->plain.empty())
        return;
    filtered_->finished = true;
    NetworkSink network(channel_);
    const Result<void> finished = filtered_->filter->finish(network);
    if (!finished) filterFailed(finished.error());
}

void StreamHandler::filterFailed(const Error& error) {
    filtered_->failed = true;
    const std::size_t lost = filtered_->plain.bytes();
    filtered_->plain.clear(&channel_.chunks());
    filtered_->lostBytes += lost;
    if (lost > 0) wroteSome_ = false;
    if (!special_.closing) return failAfterFlush(error);
    // A closeAfterFlush() in progress stays a normal close unless bytes were lost.
    if (lost > 0) ending().reason = error;
    settleLater();
}

// Whether the network's stream has ended too early. After our own close the peer's end of stream
// does not matter, except during the handshake, which our own output needs.
bool StreamHandler::tellCutOff() {
    const Filtered& filtered = *filtered_;
    if (filtered.failed || filtered.filter->hasPeerFinished()) return false;
    const bool ready = filtered.filter->isReady();
    if (special_.closing && (ready || filtered.plain.empty())) return false;
    const Error error(Errc::truncated, ready ? "receive" : "handshake");
    ready ? failAfterFlush(error) : filterFailed(error);
    return true;
}

}  // namespace nio
