// An SmppSession on a connection, as the application of a nio::Pipeline behind the framing: PDUs
// that arrive go in, what the session transmits goes out, and its timers are one Deadline of the
// dispatcher.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: the connection's, which holds it; found from elsewhere by its handle. connection() is
// null before the connection is open and once it is over.
#pragma once

#include <memory>
#include <optional>

#include <nio/connection/StreamHandler.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/timers/Deadline.h>

#include <nio-tls/Tls.h>

#include <smpp/session/SmppSession.h>

#include "sms_router/model/Moment.h"
#include "sms_router/session/EndWatch.h"
#include "sms_router/session/HeldRequests.h"
#include "sms_router/session/PduFraming.h"

namespace router {

inline smpp::Time smppNow() {
    return Moment::now().time_since_epoch();
}

class SmppLink : protected smpp::SessionEvents {
  public:
    explicit SmppLink(std::shared_ptr<const smpp::SessionOptions> options);
    ~SmppLink() override;

    // The handler to register; keeps the link.
    static std::unique_ptr<nio::StreamHandler> makeHandler(nio::SocketChannel channel,
                                                           std::shared_ptr<SmppLink> link,
                                                           PduLimits limits,
                                                           const nio::TlsStage& tls = nio::tls());

    // Null: the connection is over. Thread: the handle's dispatcher.
    static SmppLink* findNow(nio::ChannelHandle handle) NIO_REQUIRES(nio::onDispatcher);

    nio::StreamHandler* connection() const { return connection_; }
    nio::ChannelHandle handle() const { return handle_; }
    // Only while the connection is open.
    smpp::SmppSession& session() { return *session_; }
    const smpp::SmppSession& session() const { return *session_; }
    bool isOpen() const { return connection_ != nullptr; }
    bool isBound() const { return isOpen() && session_->isBound(); }
    // Also while it unbinds.
    bool wasBound() const { return isOpen() && smpp::isBound(session_->state()); }

    void unbindNow() NIO_REQUIRES(nio::onDispatcher);
    void closeNow() NIO_REQUIRES(nio::onDispatcher) { endNow("closed"); }
    // A request of ours; its octets get their sequence number. False: it was not sent.
    [[nodiscard]] bool requestNow(std::span<nio::Byte> pdu, smpp::Cookie cookie)
        NIO_REQUIRES(nio::onDispatcher);

    // For the framing: so much of a PDU has arrived.
    void waitsForRest(std::size_t octets) NIO_REQUIRES(nio::onDispatcher);

  protected:
    // The connection is open: the session stands.
    virtual void opened() NIO_REQUIRES(nio::onDispatcher) {}
    // The connection fails; closed() follows.
    virtual void failed(const nio::Error&) NIO_REQUIRES(nio::onDispatcher) {}
    // Pending output has crossed the water marks: see StreamHandler.
    virtual void aboveMark() NIO_REQUIRES(nio::onDispatcher) {}
    virtual void belowMark() NIO_REQUIRES(nio::onDispatcher) {}
    // A request of the peer that the state does not allow; the session has refused it, or takes a
    // delivery all the same (Reading::tolerant). Not called after noteReported().
    virtual void unexpectedArrived(nio::ByteView) NIO_REQUIRES(nio::onDispatcher) {}
    // The session or the connection is over; `why` is one line. The last call. What was transmitted
    // still leaves.
    virtual void closed(const std::string& why) NIO_REQUIRES(nio::onDispatcher) = 0;

    // Holds requests of the peer back, or takes them again, in their order. Its responses and
    // enquire_link are taken in any case. Nothing is read while `most` octets are held, or any
    // where the memory budget pauses reading; that the peer has gone is noticed all the same.
    void holdRequestsNow(bool held, std::size_t most) NIO_REQUIRES(nio::onDispatcher);
    // After anything that may have made a deadline earlier.
    void rearm() NIO_REQUIRES(nio::onDispatcher);

    // What the session is dealing with; empty: nothing, or it has been reported.
    nio::ByteView taken() const { return taken_; }
    // Each PDU is reported once.
    void noteReported() { taken_ = {}; }

    void transmit(nio::ByteView octets) final;
    void ended(smpp::End end) final;

  private:
    struct Application;
    struct Stages;

    void connectionOpened(nio::StreamHandler& connection) NIO_REQUIRES(nio::onDispatcher);
    void pduArrived(nio::ByteView pdu) NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(const nio::Error& error) NIO_REQUIRES(nio::onDispatcher);
    bool mustHold(nio::ByteView pdu) const;
    void hold(nio::ByteView request) NIO_REQUIRES(nio::onDispatcher);
    void takeHeldLater() NIO_REQUIRES(nio::onDispatcher);
    void takeHeld() NIO_REQUIRES(nio::onDispatcher);
    void take(nio::ByteView pdu) NIO_REQUIRES(nio::onDispatcher);
    bool isFull() const NIO_REQUIRES(nio::onDispatcher);
    bool mayReadAgain() const NIO_REQUIRES(nio::onDispatcher);
    void pausePeerNow(bool paused) NIO_REQUIRES(nio::onDispatcher);
    void tick() NIO_REQUIRES(nio::onDispatcher);
    void endNow(const std::string& why) NIO_REQUIRES(nio::onDispatcher);
    void over(const std::string& why) NIO_REQUIRES(nio::onDispatcher);

    std::shared_ptr<const smpp::SessionOptions> options_;
    std::optional<smpp::SmppSession> session_;
    nio::StreamHandler* connection_ = nullptr;
    nio::ChannelHandle handle_;
    std::optional<nio::Deadline> deadline_;
    nio::ByteView taken_;
    smpp::Time armed_ = smpp::Time::max();
    std::optional<EndWatch> endWatch_;    // since reading was paused first
    std::unique_ptr<HeldRequests> held_;  // null: none
    std::size_t mostHeld_ = 0;            // octets
    bool holds_ = false;                  // requests that come
    bool takesHeld_ = false;              // soon
    bool paused_ = false;
};

}  // namespace router
