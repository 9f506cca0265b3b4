// One of the binds of a connector: connects, binds, and when that fails or ends, tries again after
// a pause that grows.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <memory>
#include <optional>

#include <nio/net/Connector.h>
#include <nio/timers/Deadline.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/egress/Backoff.h"
#include "sms_router/egress/SmscLink.h"
#include "sms_router/model/Snapshot.h"

namespace router {

// What all binds of a connector have in common.
struct SmscDialing {
    ConnectorConfig config;
    PduLimits pduLimits;
    std::shared_ptr<const smpp::SessionOptions> session;
    std::shared_ptr<nio::Resolver> resolver;
    std::shared_ptr<const nio::TlsContext> tls;  // null: plain
    std::string tlsName;                         // that the SMSC's certificate must have
    // Our certificate; absent: there is none.
    std::optional<std::chrono::system_clock::time_point> certificateExpires;
};

class SmscBind final : private nio::ConnectorListener {
  public:
    SmscBind(nio::SelectorThread& thread, std::shared_ptr<const SmscDialing> dialing,
             smpp::Command kind, std::uint32_t number, SmscConnector& owner);
    ~SmscBind() override;

    // For the next try; one that waits for it waits anew where the pauses are others.
    void useNow(std::shared_ptr<const SmscDialing> dialing) NIO_REQUIRES(nio::onDispatcher);
    void startNow() NIO_REQUIRES(nio::onDispatcher);
    // No more tries; what is bound is unbound.
    void stopNow() NIO_REQUIRES(nio::onDispatcher);
    // A connection that the SMSC has opened, to send an outbind.
    bool wantsConnection() const { return !stopped_ && handle_ == nio::ChannelHandle(); }
    void adoptNow(nio::SocketChannel channel) NIO_REQUIRES(nio::onDispatcher);
    // One that has sent none yet.
    bool awaitsOutbindNow() const NIO_REQUIRES(nio::onDispatcher) {
        const SmscLink* link = linkNow();
        return link != nullptr && link->awaitsOutbind();
    }
    nio::TimePoint connectedSince() const { return since_; }

    // The connector's linkBound and linkClosed pass these on.
    bool has(const SmscLink& link) const { return handle_ == link.handle(); }
    void boundNow() NIO_REQUIRES(nio::onDispatcher) { backoff_.reset(); }
    void closedNow() NIO_REQUIRES(nio::onDispatcher);

    // Null: there is none.
    SmscLink* linkNow() const NIO_REQUIRES(nio::onDispatcher);
    bool isConnected() const { return !(handle_ == nio::ChannelHandle()); }
    BindRow describeNow() const NIO_REQUIRES(nio::onDispatcher);

  private:
    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(nio::Connector& connector, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);
    void dial() NIO_REQUIRES(nio::onDispatcher);
    void dialLater() NIO_REQUIRES(nio::onDispatcher);
    void open(nio::SocketChannel channel, bool awaitsOutbind) NIO_REQUIRES(nio::onDispatcher);
    bool isConnecting() const { return connector_ && connector_->isConnecting(); }
    bool isDialed() const { return dialing_->config.outbindListen.empty(); }

    nio::SelectorThread& thread_;
    std::shared_ptr<const SmscDialing> dialing_;
    const smpp::Command kind_;
    const std::uint32_t number_;
    SmscConnector& owner_;
    Backoff backoff_;
    std::optional<nio::Connector> connector_;  // of the last try
    nio::Deadline retry_;
    nio::TimePoint retryAt_{};
    nio::TimePoint since_{};
    std::string caller_;  // of the last outbind
    nio::ChannelHandle handle_;
    bool stopped_ = true;
};

}  // namespace router
