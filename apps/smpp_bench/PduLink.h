// A connection as PDUs: frames what arrives, scans it, and answers by itself what is malformed. No
// session behind it, no timers: what measures a router must not share its state machine.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <nio/connection/StreamHandler.h>

#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduFramer.h>

namespace smppbench {

class PduLink : public nio::StreamHandler {
  public:
    explicit PduLink(nio::SocketChannel channel);

    void answer(const smpp::Pdu& request, smpp::Status status) NIO_REQUIRES(nio::onDispatcher);

  protected:
    // `pdu` is valid during the call.
    virtual void pduArrived(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher) = 0;
    // It has been answered, or the connection ends.
    virtual void nonsenseArrived() NIO_REQUIRES(nio::onDispatcher) = 0;

    void bytesArrived(nio::ByteView bytes) final NIO_REQUIRES(nio::onDispatcher);

  private:
    // Returns how many bytes are done with.
    std::size_t deliver(nio::ByteView input) NIO_REQUIRES(nio::onDispatcher);
    void deliverOne(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher);

    const smpp::PduFramer framer_;
    nio::Bytes tail_;  // of an incomplete PDU
};

}  // namespace smppbench
