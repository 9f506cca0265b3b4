#include "sms_router/link/SmppLink.h"

#include <utility>

#include <nio/loop/SelectorThread.h>

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
    const std::optional<smpp::Header> header = smpp::Header::read(packet);
    const bool whole = header && header->length == packet.size();
    using Kind = smpp::Framed::Kind;
    session_->received({whole ? Kind::pdu : Kind::badLength, packet}, smppNow());
    if (isOpen() && session_->holdsRequest()) channel_->pauseReading();
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

void SmppLink::holdPeerNow(bool held) {
    if (!isOpen() || std::exchange(held_, held) == held) return;
    // What we do not read is not late.
    session_->holdPeer(held, smppNow());
    rearm();
    if (!held) {
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
    over(error.message());
}

void SmppLink::over(const std::string& why) {
    if (!isOpen()) return;
    channel_ = nullptr;
    deadline_->cancel();
    if (endWatch_) endWatch_->stop();
    session_->disconnected();
    closed(why);
}

}  // namespace router
