// One connection of an SMSC: its bind, and which PDU goes where.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include "smpp_bench/PduLink.h"
#include "smpp_bench/SequenceWindow.h"
#include "smpp_bench/smsc/Delivery.h"

namespace smppbench {

class Mailbox;
class Smsc;

class SmscLink final : public PduLink {
  public:
    // `asks`: it begins with outbind.
    SmscLink(nio::SocketChannel channel, Smsc& smsc, bool asks);

    SequenceWindow<Delivery>& deliveries() { return deliveries_; }
    // Where receipts of this link's messages go; null while nobody is bound.
    Mailbox* mailbox() const { return mailbox_; }

  protected:
    void connectionOpened() override NIO_REQUIRES(nio::onDispatcher);
    void pduArrived(const smpp::Pdu& pdu) override NIO_REQUIRES(nio::onDispatcher);
    void nonsenseArrived() override NIO_REQUIRES(nio::onDispatcher);
    void connectionClosed(const std::optional<nio::Error>&) override
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void bind(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void unbind(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void submitted(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void delivered(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void stopReceiving() NIO_REQUIRES(nio::onDispatcher);

    Smsc& smsc_;
    const bool asks_;
    Mailbox* mailbox_ = nullptr;
    bool mayTransmit_ = false;
    bool mayReceive_ = false;
    SequenceWindow<Delivery> deliveries_;
};

}  // namespace smppbench
