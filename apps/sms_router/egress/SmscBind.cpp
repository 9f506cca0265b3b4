#include "sms_router/egress/SmscBind.h"

#include <nio/loop/SelectorThread.h>

#include "sms_router/egress/SmscConnector.h"
#include "sms_router/model/Moment.h"

namespace router {

namespace {

nio::ConnectorOptions connectorOptions(const SmscDialing& dialing) {
    nio::ConnectorOptions options;
    options.timeout = dialing.config.timers.connectTimeout;
    options.keepAlive = dialing.config.timers.keepAlive;
    options.resolver = dialing.resolver;
    return options;
}

Backoff backoffOf(const ConnectorTimers& timers) {
    return {timers.reconnectFirst, timers.reconnectMax, std::random_device()()};
}

smpp::SmppSession::BindRequest bindRequest(const BindConfig& bind, smpp::Command kind) {
    return {kind,
            bind.systemId,
            bind.password,
            bind.systemType,
            bind.addressTon,
            bind.addressNpi,
            bind.addressRange};
}

std::string kindName(smpp::Command kind) {
    return kind == smpp::Command::bindTransmitter ? "transmitter"
           : kind == smpp::Command::bindReceiver  ? "receiver"
                                                  : "transceiver";
}

std::chrono::seconds secondsUntil(nio::TimePoint when) {
    return std::chrono::ceil<std::chrono::seconds>(when - Moment::now());
}

}  // namespace

SmscBind::SmscBind(nio::SelectorThread& thread, std::shared_ptr<const SmscDialing> dialing,
                   smpp::Command kind, std::uint32_t number, SmscConnector& owner)
    : thread_(thread),
      dialing_(std::move(dialing)),
      kind_(kind),
      number_(number),
      owner_(owner),
      backoff_(backoffOf(dialing_->config.timers)),
      retry_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          dial();
      }) {}

SmscBind::~SmscBind() = default;

void SmscBind::useNow(std::shared_ptr<const SmscDialing> dialing) {
    const auto pauses = [](const SmscDialing& of) {
        return std::pair(of.config.timers.reconnectFirst, of.config.timers.reconnectMax);
    };
    const bool others = pauses(*dialing) != pauses(*dialing_);
    dialing_ = std::move(dialing);
    if (!others) return;
    backoff_ = backoffOf(dialing_->config.timers);
    if (retry_.isSet()) dialLater();
}

void SmscBind::startNow() {
    stopped_ = false;
    if (isDialed()) dial();
}

void SmscBind::stopNow() {
    stopped_ = true;
    retry_.cancel();
    if (connector_) connector_->cancelNow();
    if (SmscLink* link = linkNow()) link->unbindNow();
}

void SmscBind::dial() {
    if (stopped_ || isConnected() || isConnecting()) return;
    nio::ConnectorListener& listener = *this;
    connector_.emplace(thread_, listener, connectorOptions(*dialing_));
    connector_->connectNow(dialing_->config.host, dialing_->config.port);
}

void SmscBind::dialLater() {
    if (stopped_ || !isDialed()) return;
    const Backoff::Duration pause = backoff_.next();
    retryAt_ = nio::Clock::after(pause);
    retry_.wakeAt(retryAt_);
}

void SmscBind::connectionEstablished(nio::Connector&, nio::SocketChannel channel) {
    open(std::move(channel), false);
}

void SmscBind::connectionFailed(nio::Connector&, const nio::Error& error) {
    if (error.is(nio::Errc::stopped)) return;  // nobody is there to dial again
    owner_.dialFailed(error.message());
    dialLater();
}

void SmscBind::adoptNow(nio::SocketChannel channel) {
    const auto caller = channel.peerAddress();
    caller_ = caller ? caller.value().toString() : "";
    open(std::move(channel), true);
}

void SmscBind::open(nio::SocketChannel channel, bool awaitsOutbind) {
    auto link = std::make_shared<SmscLink>(
        dialing_->session, bindRequest(dialing_->config.bind, kind_), awaitsOutbind, owner_);
    auto handler = SmppLink::makeHandler(std::move(channel), std::move(link), dialing_->pduLimits,
                                         nio::tls(dialing_->tls, dialing_->tlsName));
    // Reading goes on where output waits, also of a connection that the SMSC has opened: see
    // SmscLink.
    handler->setAutoPause(false);
    // Who calls us is not known yet.
    handler->setEvictFirst(awaitsOutbind);
    since_ = Moment::now();
    const auto registered = thread_.registerChannelNow(std::move(handler), nio::Interest::read);
    if (registered) {
        handle_ = registered.value();
        // It may have ended while it was registered.
        if (linkNow() == nullptr) closedNow();
        return;
    }
    owner_.dialFailed(registered.error().message());
    dialLater();
}

void SmscBind::closedNow() {
    handle_ = {};
    dialLater();
}

SmscLink* SmscBind::linkNow() const {
    return isConnected() ? SmscLink::findNow(handle_) : nullptr;
}

BindRow SmscBind::describeNow() const {
    BindRow row;
    row.number = number_;
    row.kind = kindName(kind_);
    if (dialing_->config.outbindListen.empty()) {
        row.peer = dialing_->config.host + ":" + std::to_string(dialing_->config.port);
    } else if (isConnected()) {
        row.peer = caller_;
    }
    row.dispatcher = thread_.name();
    row.window = dialing_->config.window;
    row.tls = dialing_->tls != nullptr;
    if (const SmscLink* link = linkNow()) {
        row.state = smpp::nameOf(link->session().state());
        row.outstandingIn = link->session().unanswered();
        row.outstandingOut = link->session().outstanding();
        row.age = std::chrono::duration_cast<std::chrono::seconds>(Moment::now() - since_);
    } else if (stopped_) {
        row.state = "stopped";
    } else if (retry_.isSet()) {
        row.state = "waiting " + std::to_string(secondsUntil(retryAt_).count()) + " s";
    } else {
        row.state = isDialed() ? "connecting" : "awaiting outbind";
    }
    return row;
}

}  // namespace router
