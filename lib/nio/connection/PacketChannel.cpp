#include <nio/connection/PacketChannel.h>

#include <new>

#include <nio/loop/SelectorThread.h>

namespace nio {

namespace {

class OutputSink final : public ByteSink {
  public:
    explicit OutputSink(StreamHandler& out) : out_(out) {}
    void append(ByteView bytes) override {
        onDispatcher.assertCurrent();
        out_.send(bytes);
    }

  private:
    StreamHandler& out_;
};

}  // namespace

void PacketChannelListener::peerFinished(PacketChannel& channel) {
    channel.closeAfterFlush();
}

std::shared_ptr<const StreamOptions> PacketChannel::defaultOptions() {
    static const auto options = std::make_shared<const StreamOptions>();
    return options;
}

PacketChannel::PacketChannel(SocketChannel channel, std::unique_ptr<ProtocolDecoder> decoder,
                             std::shared_ptr<PacketChannelListener> listener,
                             std::shared_ptr<const StreamOptions> options)
    : StreamHandler(std::move(channel), std::move(options)),
      decoder_(std::move(decoder)),
      listener_(std::move(listener)) {
    if (this->options().maxPacketsPerTurn == 0) {
        Error(std::errc::invalid_argument, "maxPacketsPerTurn").raise();
    }
}

void PacketChannel::send(ByteView packet) {
    const Result<void> sent = sendPacket(packet);
    if (!sent) failAfterFlush(sent.error());
}

Result<void> PacketChannel::sendPacket(ByteView packet) {
    assertHere("sendPacket");
    OutputSink sink(*this);
    const std::size_t before = pendingBytes();
    try {
        return decoder_->encode(packet, sink);
    } catch (...) {
        // What follows a part of it would be taken for the rest.
        if (pendingBytes() != before) end(Error(std::errc::not_enough_memory), true);
        throw;
    }
}

void PacketChannel::connectionOpened() {
    listener_->channelOpened(*this);
}
void PacketChannel::peerFinished() {
    listener_->peerFinished(*this);
}
void PacketChannel::outputFlushed() {
    listener_->packetSent(*this);
}

void PacketChannel::outputAboveMark() {
    listener_->highWater(*this);
}
void PacketChannel::outputBelowMark() {
    listener_->lowWater(*this);
}

void PacketChannel::connectionLeaving() {
    listener_->channelLeaving(*this);
}
void PacketChannel::connectionArrived() {
    listener_->channelArrived(*this);
}

void PacketChannel::connectionClosed(const std::optional<Error>& reason) {
    reason ? listener_->socketException(*this, *reason) : listener_->socketDisconnected(*this);
}

void PacketChannel::bytesArrived(ByteView bytes) {
    if (keptInputBytes() == 0) {
        const std::size_t done = deliver(bytes);
        tail_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(done), bytes.end());
        tailStart_ = 0;
        if (tail_.size() >= countedInput) [[unlikely]]
            inputKept();
        return;
    }
    tail_.insert(tail_.end(), bytes.begin(), bytes.end());
    if (tail_.size() >= countedInput) inputKept();
    deliverTail();
}

void PacketChannel::deliverTail() {
    tailStart_ += deliver(ByteView(tail_).subspan(tailStart_));
    if (tailStart_ == tail_.size()) {
        Bytes().swap(tail_);
        tailStart_ = 0;
    } else if (tailStart_ > tail_.size() / 2) {
        tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(tailStart_));
        tailStart_ = 0;
    }
}

std::size_t PacketChannel::deliver(ByteView input) {
    const struct Delivering {
        const Byte*& at;
        ~Delivering() { at = nullptr; }
    } delivering{delivering_};
    std::size_t done = 0;
    kept_ = input.size();
    for (std::size_t left = options().maxPacketsPerTurn; mayDeliver(); --left) {
        if (left == 0 || isOutputHigh()) {
            revisitInput();
            break;
        }
        if (kept_ == 0) break;
        const Decoded decoded = decoder_->decode(input.subspan(done));
        done += decoded.consumed;
        kept_ = input.size() - done;
        if (decoded.kind == Decoded::Kind::needMore) break;
        if (decoded.kind == Decoded::Kind::error) {
            failAfterFlush(decoded.error);
            return input.size();
        }
        delivering_ = input.data() + done;
        listener_->packetArrived(*this, decoded.packet);
    }
    return done;
}

SocketChannel PacketChannel::takeChannel() {
    assertHere("takeChannel");
    const ByteView all(tail_);
    auto& socket = static_cast<SocketChannel&>(channel());
    socket.putBack(delivering_ == nullptr ? all.subspan(tailStart_) : ByteView(delivering_, kept_));
    kept_ = 0;
    return std::move(socket);
}

}  // namespace nio
