#include <nio/connection/PacketChannel.h>

#include <new>
#include <stdexcept>
#include <typeinfo>

#include <nio/connection/Relay.h>
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

Result<void> PacketHandle::send(ByteView packet, SelectorThread& sender, SendDone done) const {
    return post(packet, SendResult(sender.queue(), std::move(done)));
}

Result<void> PacketHandle::post(ByteView packet, SendResult result) const {
    if (posted_ == nullptr) return Error(Errc::notRegistered, "send");
    const std::size_t bytes = PostedPacket::memoryOf(packet);
    Result<void> reserved = posted_->reserve(bytes);
    if (!reserved) return reserved;
    std::shared_ptr<PostedPacket> posted;
    try {
        posted = std::make_shared<PostedPacket>(posted_, packet, std::move(result));
    } catch (...) {
        posted_->release(bytes);
        throw;
    }
    // A refused task is destroyed under the queue's lock: the packet must outlive it.
    bool queued = false;
    try {
        queued = invokeLater([posted](PacketChannel& channel) {
            onDispatcher.assertCurrent();
            channel.sendPosted(*posted);
        });
    } catch (...) {
        posted->cancel();
        throw;
    }
    if (queued) return {};
    posted->cancel();
    return Error(dispatcher()->isStopped() ? Errc::stopped : Errc::queueFull, "send");
}

bool PacketHandle::invokeLater(UniqueFunction<void(PacketChannel&)> task) const {
    if (dispatcher() == nullptr) return false;
    auto here = [task = std::move(task)](SelectorHandler& handler) mutable {
        // Not dynamic_cast: a handler of the program may be compiled without RTTI.
        if (&typeid(handler) == &typeid(PacketChannel)) task(static_cast<PacketChannel&>(handler));
    };
    return dispatcher()->invokeLater(*this, std::move(here));
}

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

PacketChannel::~PacketChannel() {
    if (isRelayed()) static_cast<Relay&>(*listener_).destroyed(*this);
    // Another handler has taken its channel over.
    if (posted_ != nullptr) (*posted_)->closed(Error(Errc::notRegistered, "send"));
}

PacketHandle PacketChannel::handle() {
    if (posted_ == nullptr) {
        auto posted = std::make_shared<PostedOutput>(options(), dispatcher().memory().budget());
        if (!channel().isOpen()) posted->closed(Error(Errc::notRegistered, "send"));
        posted->setAboveMark(isOutputAboveMark());
        posted_ = std::make_unique<const std::shared_ptr<PostedOutput>>(std::move(posted));
    }
    return {StreamHandler::handle(), *posted_};
}

// A packet for an earlier PacketChannel of this channel is not for this one's protocol.
void PacketChannel::sendPosted(PostedPacket& packet) try {
    if (posted_ == nullptr || !packet.isFor(**posted_) || !maySend()) return;
    PostedOutput& posted = **posted_;
    posted.makeRoom();
    const Result<void> sent = sendPacket(packet.bytes());
    if (!sent) {
        packet.result().tell(sent.error());
        return failAfterFlush(sent.error());
    }
    posted.add(std::move(packet.result()));
    if (pendingBytes() == 0) posted.flushed();
} catch (const std::bad_alloc&) {
    packet.result().tell(Error(std::errc::not_enough_memory, "send"));
    throw;
}

void PacketChannel::prepareRelay() {
    dispatcher().flushLater(channel());
    if (keptInputBytes() > 0) dispatcher().revisitLater(channel());
}

bool PacketChannel::beginRelay(bool pause) {
    beRelayed();
    setAutoPause(false);
    setBusy(false);
    pause ? pauseReading() : resumeReading();
    return hasPeerFinished();
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
    if (posted_ != nullptr) (*posted_)->flushed();
    listener_->packetSent(*this);
}

void PacketChannel::outputAboveMark() {
    if (posted_ != nullptr) (*posted_)->setAboveMark(true);
    listener_->highWater(*this);
}
void PacketChannel::outputBelowMark() {
    if (posted_ != nullptr) (*posted_)->setAboveMark(false);
    listener_->lowWater(*this);
}

void PacketChannel::connectionLeaving() {
    listener_->channelLeaving(*this);
}
void PacketChannel::connectionArrived() {
    listener_->channelArrived(*this);
}

void PacketChannel::connectionClosed(const std::optional<Error>& reason) {
    if (posted_ != nullptr) {
        if (remains().unsentBytes == 0) (*posted_)->flushed();
        (*posted_)->closed(reason ? *reason : Error(Errc::notRegistered, "send"));
    }
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
    if (isRelayed()) throw std::logic_error("takeChannel: the connection is piped");
    const ByteView all(tail_);
    auto& socket = static_cast<SocketChannel&>(channel());
    socket.putBack(delivering_ == nullptr ? all.subspan(tailStart_) : ByteView(delivering_, kept_));
    kept_ = 0;
    return std::move(socket);
}

}  // namespace nio
