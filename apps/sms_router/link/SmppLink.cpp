#include "sms_router/link/SmppLink.h"

#include <utility>

#include <nio/loop/SelectorThread.h>

#include "sms_router/flow/Post.h"

namespace router {

SmppLink::SmppLink(std::shared_ptr<const smpp::SessionOptions> options)
    : options_(std::move(options)) {}

SmppLink::~SmppLink() = default;

std::unique_ptr<nio::PacketChannel> SmppLink::makeHandler(nio::SocketChannel channel,
                                                          std::shared_ptr<SmppLink> link,
                                                          PduLimits limits,
                                                          std::unique_ptr<nio::ByteFilter> filter) {
    PduWatcher& watcher = *link;
    auto decoder = std::make_unique<SmppDecoder>(limits, watcher);
    auto handler = std::make_unique<nio::PacketChannel>(std::move(channel), std::move(decoder),
                                                        std::move(link));
    if (filter != nullptr) handler->setFilter(std::move(filter));
    return handler;
}

void SmppLink::channelOpened(nio::PacketChannel& channel) {
    channel_ = &channel;
    handle_ = channel.handle();
    session_.emplace(options_, static_cast<smpp::SessionEvents&>(*this), smppNow());
    deadline_.emplace(channel.dispatcher().deadlines(), [this] {
        nio::onDispatcher.assertCurrent();
        tick();
    });
    opened();
    rearm();
}

void SmppLink::packetArrived(nio::PacketChannel&, nio::ByteView packet) {
    if (mustHold(packet)) return hold(packet);
    take(packet);
    if (isOpen() && session_->holdsRequest()) channel_->pauseReading();
}

void SmppLink::take(nio::ByteView packet) {
    const std::optional<smpp::Header> header = smpp::Header::read(packet);
    const bool whole = header && header->length == packet.size();
    using Kind = smpp::Framed::Kind;
    session_->received({whole ? Kind::pdu : Kind::badLength, packet}, smppNow());
    rearm();
}

void SmppLink::pduIncomplete(std::size_t octets) {
    nio::onDispatcher.assertCurrent();
    if (!isOpen()) return;
    session_->waitsForRest(octets, smppNow());
    rearm();
}

void SmppLink::tick() {
    armed_ = smpp::Time::max();
    if (!isOpen()) return;
    session_->tick(smppNow());
    rearm();
}

void SmppLink::rearm() {
    if (!isOpen()) return;
    const smpp::Time next = session_->nextTick();
    if (next >= armed_) return;
    armed_ = next;
    deadline_->wakeAt(nio::TimePoint(next));
}

// --- requests that are held back ------------------------------------------------------------

// One with a length that cannot be ends the session.
bool SmppLink::mustHold(nio::ByteView packet) const {
    if (!holds_ && held_ == nullptr) return false;
    const std::optional<smpp::Header> header = smpp::Header::read(packet);
    return header && header->length == packet.size() && !smpp::isResponse(header->command) &&
           header->command != smpp::Command::enquireLink;
}

void SmppLink::hold(nio::ByteView request) {
    session_->waitsForRest(0, smppNow());
    if (held_ == nullptr) {
        held_ = std::make_unique<HeldRequests>(channel_->dispatcher().memory());
    }
    held_->push(request);
    if (isFull()) pausePeerNow(true);
}

void SmppLink::holdRequestsNow(bool held, std::size_t most) {
    mostHeld_ = most;
    if (!isOpen() || std::exchange(holds_, held) == held) return;
    if (!held) return takeHeldLater();
    if (isFull()) pausePeerNow(true);
}

// Not in place: what one link is answered may make a connector refuse something to the next.
void SmppLink::takeHeldLater() {
    if (held_ == nullptr) return pausePeerNow(false);
    auto take = [link = handle_] {
        nio::onDispatcher.assertCurrent();
        nio::SelectorHandler* found = link.dispatcher()->findNow(link);
        if (found == nullptr) return;
        auto& channel = static_cast<nio::PacketChannel&>(*found);
        static_cast<SmppLink&>(channel.listener()).takeHeld();
    };
    if (!std::exchange(takesHeld_, true)) (void)postLater(*handle_.dispatcher(), take);
}

// Each may fill the window again.
void SmppLink::takeHeld() {
    takesHeld_ = false;
    while (isOpen() && !holds_ && held_ != nullptr) {
        const nio::Bytes request = nio::copyOf(held_->front());
        held_->pop();
        if (held_->empty()) held_.reset();
        take(request);
    }
    if (isOpen() && mayReadAgain()) pausePeerNow(false);
}

bool SmppLink::isFull() const {
    const std::size_t bytes = held_ == nullptr ? 0 : held_->bytes();
    return bytes >= mostHeld_ || (bytes > 0 && channel_->dispatcher().memory().pausesReading());
}

bool SmppLink::mayReadAgain() const {
    if (held_ == nullptr) return !holds_ || mostHeld_ > 0;
    return held_->bytes() <= mostHeld_ / 2 && !channel_->dispatcher().memory().pausesReading();
}

void SmppLink::pausePeerNow(bool paused) {
    if (std::exchange(paused_, paused) == paused) return;
    // What we do not read is not late.
    session_->holdPeer(paused, smppNow());
    rearm();
    if (!paused) {
        endWatch_->stop();
        channel_->resumeReading();
        return;
    }
    channel_->pauseReading();
    if (!endWatch_) {
        endWatch_.emplace(channel_->dispatcher().deadlines(), channel_->channel().fd(), [this] {
            nio::onDispatcher.assertCurrent();
            closeNow();
        });
    }
    endWatch_->start();
}

void SmppLink::transmit(nio::ByteView octets) {
    nio::onDispatcher.assertCurrent();
    // The framing refuses nothing.
    if (isOpen()) (void)channel_->sendPacket(octets).ok();
}

void SmppLink::ended(smpp::End end) {
    nio::onDispatcher.assertCurrent();
    endNow(std::string(smpp::describe(end)));
}

void SmppLink::unbindNow() {
    if (!isOpen()) return;
    if (!smpp::isBound(session_->state())) return closeNow();
    session_->unbind(smppNow());
    rearm();
}

// The owner need not wait until the peer has closed its end, too.
void SmppLink::endNow(const std::string& why) {
    if (!isOpen()) return;
    nio::PacketChannel& channel = *channel_;
    over(why);
    channel.closeAfterFlush();
}

bool SmppLink::requestNow(std::span<nio::Byte> pdu, smpp::Cookie cookie) {
    const bool sent = session_->request(pdu, cookie, smppNow()) != 0;
    rearm();
    return sent;
}

void SmppLink::socketDisconnected(nio::PacketChannel&) {
    over("the peer closed the connection");
}

void SmppLink::socketException(nio::PacketChannel&, const nio::Error& error) {
    if (isOpen()) failed(error);
    over(error.message());
}

void SmppLink::over(const std::string& why) {
    if (!isOpen()) return;
    channel_ = nullptr;
    deadline_->cancel();
    if (endWatch_) endWatch_->stop();
    if (held_ != nullptr) held_->clear();
    held_.reset();
    session_->disconnected();
    closed(why);
}

}  // namespace router
