#include "sms_router/session/SmppLink.h"

#include <tuple>
#include <utility>

#include <nio/loop/SelectorThread.h>
#include <nio/pipeline/Pipeline.h>

#include "sms_router/model/Post.h"

namespace router {

namespace {

bool isUnbind(nio::ByteView pdu) {
    const std::optional<smpp::Header> header = smpp::Header::read(pdu);
    return header && header->command == smpp::Command::unbind && pdu.size() == smpp::Header::bytes;
}

bool isUnexpected(smpp::Command command, const smpp::SmppSession& session) {
    using smpp::Side;
    if (smpp::isResponse(command) || !smpp::isKnown(command)) return false;
    const Side peer = session.side() == Side::smsc ? Side::esme : Side::smsc;
    return !smpp::isAllowed(command, peer, session.state());
}

}  // namespace

SmppLink::SmppLink(std::shared_ptr<const smpp::SessionOptions> options)
    : options_(std::move(options)) {}

SmppLink::~SmppLink() = default;

// A link as the application of a pipeline.
struct SmppLink::Application {
    std::shared_ptr<SmppLink> link;

    void opened(auto& connection) NIO_REQUIRES(nio::onDispatcher) {
        link->connectionOpened(connection);
    }
    void read(auto&, nio::ByteView pdu) NIO_REQUIRES(nio::onDispatcher) { link->pduArrived(pdu); }
    void aboveMark(auto&) NIO_REQUIRES(nio::onDispatcher) { link->aboveMark(); }
    void belowMark(auto&) NIO_REQUIRES(nio::onDispatcher) { link->belowMark(); }
    void failed(auto&, const nio::Error& error) NIO_REQUIRES(nio::onDispatcher) {
        link->connectionFailed(error);
    }
    void closed(auto&) NIO_REQUIRES(nio::onDispatcher) {
        link->over("the peer closed the connection");
    }
};

struct SmppLink::Stages {
    using Connection = nio::Pipeline<nio::TlsStage, PduFraming<SmppLink>, Application>;
};

std::unique_ptr<nio::StreamHandler> SmppLink::makeHandler(nio::SocketChannel channel,
                                                          std::shared_ptr<SmppLink> link,
                                                          PduLimits limits,
                                                          const nio::TlsStage& tls) {
    static const auto options = std::make_shared<const nio::StreamOptions>();
    PduFraming framing(limits, *link);
    return std::make_unique<Stages::Connection>(
        std::move(channel), options, std::tuple(tls, framing, Application{std::move(link)}));
}

SmppLink* SmppLink::findNow(nio::ChannelHandle handle) {
    nio::SelectorThread* dispatcher = handle.dispatcher();
    nio::SelectorHandler* found = dispatcher == nullptr ? nullptr : dispatcher->findNow(handle);
    if (found == nullptr) return nullptr;
    SmppLink& link = *static_cast<Stages::Connection*>(found)->application().link;
    return link.isOpen() ? &link : nullptr;
}

void SmppLink::connectionOpened(nio::StreamHandler& connection) {
    connection_ = &connection;
    handle_ = connection.handle();
    session_.emplace(options_, static_cast<smpp::SessionEvents&>(*this), smppNow());
    deadline_.emplace(connection.dispatcher().deadlines(), [this] {
        nio::onDispatcher.assertCurrent();
        tick();
    });
    opened();
    rearm();
}

void SmppLink::pduArrived(nio::ByteView pdu) {
    if (mustHold(pdu)) return hold(pdu);
    take(pdu);
    if (isOpen() && session_->holdsRequest()) connection_->pauseReading();
}

void SmppLink::take(nio::ByteView pdu) {
    const Moment moment;
    const std::optional<smpp::Header> header = smpp::Header::read(pdu);
    const bool whole = header && header->length == pdu.size();
    using Kind = smpp::Framed::Kind;
    const bool unexpected = whole && isOpen() && isUnexpected(header->command, *session_);
    taken_ = pdu;
    session_->received({whole ? Kind::pdu : Kind::badLength, pdu}, smppNow());
    if (unexpected && isOpen() && !taken_.empty()) unexpectedArrived(pdu);
    taken_ = {};
    rearm();
}

void SmppLink::waitsForRest(std::size_t octets) {
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

// A PDU with an invalid length ends the session.
bool SmppLink::mustHold(nio::ByteView pdu) const {
    if (!holds_ && held_ == nullptr) return false;
    const std::optional<smpp::Header> header = smpp::Header::read(pdu);
    return header && header->length == pdu.size() && !smpp::isResponse(header->command) &&
           header->command != smpp::Command::enquireLink;
}

void SmppLink::hold(nio::ByteView request) {
    session_->waitsForRest(0, smppNow());
    if (held_ == nullptr) {
        held_ = std::make_unique<HeldRequests>(connection_->dispatcher().memory());
    }
    held_->push(request);
    // Nothing that counts comes behind it, whenever its turn is.
    if (isUnbind(request) && isBound()) unbindArrived();
    if (isOpen() && isFull()) pausePeerNow(true);
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
        if (SmppLink* found = findNow(link)) found->takeHeld();
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
    return bytes >= mostHeld_ || (bytes > 0 && connection_->dispatcher().memory().pausesReading());
}

bool SmppLink::mayReadAgain() const {
    if (held_ == nullptr) return !holds_ || mostHeld_ > 0;
    return held_->bytes() <= mostHeld_ / 2 && !connection_->dispatcher().memory().pausesReading();
}

void SmppLink::pausePeerNow(bool paused) {
    if (std::exchange(paused_, paused) == paused) return;
    // What we do not read is not late.
    session_->holdPeer(paused, smppNow());
    rearm();
    if (!paused) {
        endWatch_->stop();
        connection_->resumeReading();
        return;
    }
    connection_->pauseReading();
    if (!endWatch_) {
        endWatch_.emplace(connection_->dispatcher().deadlines(), connection_->channel().fd(),
                          [this] {
                              nio::onDispatcher.assertCurrent();
                              closeNow();
                          });
    }
    endWatch_->start();
}

void SmppLink::transmit(nio::ByteView octets) {
    nio::onDispatcher.assertCurrent();
    if (isOpen()) static_cast<Stages::Connection*>(connection_)->send(octets);
}

void SmppLink::ended(smpp::End end) {
    nio::onDispatcher.assertCurrent();
    endNow(std::string(smpp::describe(end)));
}

void SmppLink::unbindNow() {
    if (!isOpen()) return;
    if (!wasBound()) return closeNow();
    session_->unbind(smppNow());
    rearm();
}

// The owner need not wait until the peer has closed its end, too.
void SmppLink::endNow(const std::string& why) {
    if (!isOpen()) return;
    nio::StreamHandler& connection = *connection_;
    over(why);
    connection.closeAfterFlush();
}

bool SmppLink::requestNow(std::span<nio::Byte> pdu, smpp::Cookie cookie) {
    const bool sent = session_->request(pdu, cookie, smppNow()) != 0;
    rearm();
    return sent;
}

void SmppLink::connectionFailed(const nio::Error& error) {
    if (isOpen()) failed(error);
    over(error.message());
}

void SmppLink::over(const std::string& why) {
    if (!isOpen()) return;
    connection_ = nullptr;
    deadline_->cancel();
    if (endWatch_) endWatch_->stop();
    if (held_ != nullptr) held_->clear();
    held_.reset();
    session_->disconnected();
    closed(why);
}

}  // namespace router
