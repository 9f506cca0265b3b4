#include <nio/connection/Filtered.h>

#include <utility>

namespace nio {

namespace {

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

Bytes& spareBytes() {
    thread_local Bytes lent;
    return lent;
}

}  // namespace

Filtered::PlainInput::PlainInput() : bytes_(std::exchange(spareBytes(), {})) {}

Filtered::PlainInput::~PlainInput() {
    bytes_.clear();
    spareBytes() = std::move(bytes_);
}

void Filtered::PlainInput::append(ByteView bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

Result<void> Filtered::begin(SocketChannel& network) {
    if (std::exchange(begun_, true)) return {};
    NetworkSink sink(network);
    return filter_->begin(sink);
}

Result<void> Filtered::decode(ByteView arrived, PlainInput& plain, SocketChannel& network,
                              bool finSent) {
    NetworkSink sink(network, finSent);
    return filter_->decode(arrived, plain, sink);
}

void Filtered::append(ByteView plain, SocketChannel& network) {
    plain_.append(plain, network.chunks());
}

Result<void> Filtered::encode(SocketChannel& network) {
    if (failed_ || !filter_->isReady()) return {};
    NetworkSink sink(network);
    while (!plain_.empty()) {
        iovec piece{};
        (void)plain_.front({&piece, 1});
        const ByteView bytes(static_cast<const Byte*>(piece.iov_base), piece.iov_len);
        Result<void> encoded = filter_->encode(bytes, sink);
        if (!encoded) return encoded;
        plain_.consume(bytes.size(), network.chunks());
    }
    return {};
}

Result<void> Filtered::finish(SocketChannel& network) {
    if (!finishIsDeferred() || !plain_.empty()) return {};
    finished_ = true;
    NetworkSink sink(network);
    return filter_->finish(sink);
}

bool Filtered::fail(SocketChannel& network) {
    failed_ = true;
    const std::size_t lost = plain_.bytes();
    plain_.clear(&network.chunks());
    lostBytes_ += lost;
    return lost > 0;
}

}  // namespace nio
