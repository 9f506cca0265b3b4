// A connection to an SMSC: binds, and gives what happens on it to its connector.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: see SmppLink. The connector must outlive the connection.
#pragma once

#include "sms_router/session/SmppLink.h"

namespace router {

class SmscConnector;

// A connection to an SMSC. While much output waits, its answers are still read: an SMSC that reads
// no more until they are would never read again. Its requests are held back, up to `mostHeld`
// octets: one that does not read its deliver_sm_resp gets no more of our memory.
class SmscLink final : public SmppLink {
  public:
    static constexpr std::size_t mostHeld = 256 * 1024;

    // `awaitsOutbind`: it binds when it was asked to, not at once.
    SmscLink(std::shared_ptr<const smpp::SessionOptions> options,
             smpp::SmppSession::BindRequest bind, bool awaitsOutbind, SmscConnector& owner);

    // Null: the connection is over. Thread: the handle's dispatcher.
    static SmscLink* findNow(nio::ChannelHandle handle) NIO_REQUIRES(nio::onDispatcher);

    bool transmits() const { return isBound() && bind_.kind != smpp::Command::bindReceiver; }
    smpp::Command kind() const { return bind_.kind; }
    bool awaitsOutbind() const {
        return awaitsOutbind_ && isOpen() && session().state() == smpp::State::open;
    }
    std::optional<smpp::Status> bindRefusal() const { return bindRefusal_; }
    // For another connection.
    void makeWayNow() NIO_REQUIRES(nio::onDispatcher);

  private:
    void opened() override NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::string& why) override NIO_REQUIRES(nio::onDispatcher);
    void aboveMark() override NIO_REQUIRES(nio::onDispatcher) { holdRequestsNow(true, mostHeld); }
    void belowMark() override NIO_REQUIRES(nio::onDispatcher) { holdRequestsNow(false, mostHeld); }
    void unexpectedArrived(nio::ByteView octets) override NIO_REQUIRES(nio::onDispatcher);
    void bindAnswered(smpp::Status status, const smpp::Pdu* answer) override;
    void outbindArrived(const smpp::Pdu& outbind) override;
    void requestArrived(const smpp::Pdu& request) override;
    void responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) override;
    void requestLost(smpp::Cookie cookie, smpp::Lost how, smpp::Status status) override;
    void malformedArrived(smpp::Status problem, nio::ByteView octets) override;
    void unbindArrived() override;

    const smpp::SmppSession::BindRequest bind_;
    const bool awaitsOutbind_;
    SmscConnector& owner_;
    std::string refusal_;
    std::optional<smpp::Status> bindRefusal_;
};

}  // namespace router
