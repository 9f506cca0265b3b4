// One connection of an ESME: binds, sends, and tells its EsmeBind what comes back.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: its handler's; the bind lives longer.
#pragma once

#include "smpp_bench/PduLink.h"
#include "smpp_bench/SequenceWindow.h"

namespace smppbench {

class EsmeBind;

class EsmeLink final : public PduLink {
  public:
    EsmeLink(nio::SocketChannel channel, EsmeBind& bind)
        : PduLink(std::move(channel)), bind_(bind) {}

    // When each was sent.
    SequenceWindow<nio::TimePoint>& unanswered() { return unanswered_; }
    void unbind() NIO_REQUIRES(nio::onDispatcher);

  protected:
    void connectionOpened() override NIO_REQUIRES(nio::onDispatcher);
    void pduArrived(const smpp::Pdu& pdu) override NIO_REQUIRES(nio::onDispatcher);
    void nonsenseArrived() override NIO_REQUIRES(nio::onDispatcher);
    void connectionClosed(const std::optional<nio::Error>& reason) override
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void deliverArrived(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);

    EsmeBind& bind_;
    SequenceWindow<nio::TimePoint> unanswered_;
};

}  // namespace smppbench
