// The part of StreamHandler that deals with a ByteFilter. The state machine round it is in
// StreamHandler.cpp.
#include <nio/connection/StreamHandler.h>

#include <cassert>

namespace nio {

namespace {

// Nothing can leave behind our FIN: an alert about what the peer says then is dropped.
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

// The plain bytes of one read. The thread lends its one buffer, so that an idle connection holds
// none; a turn that is nested in this one finds it gone and takes a new one.
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
    if ((!special_.closing && !special_.finWanted) || !owesFinish() || !filtered_->plain.empty())
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
    // An orderly end under way stays one unless it lost something.
    if (lost > 0) ending().reason = error;
    settleLater();
}

// Whether the network's stream has ended too early. Once we close ourselves nobody waits for the
// peer's last words, but for the handshake without which ours cannot leave.
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
