// An SMSC in the hands of a test: where the router connects to, and each of its binds.
//
//     TestSmsc smsc;                                  // listens
//     RouterProcess router({.connectors = {connector("smsc", smsc)}});
//     SmscBind bind = smsc.accept();                  // the router's bind, answered
//     bind.answer(bind.nextSubmit(), "17");
//     bind.receipt(receiptOf("17"));
//
// Thread: one at a time. Errors: as SmppPeer's.
#pragma once

#include <string>

#include "apps/sms_router/scenarios/SmppPeer.h"

namespace router::scenarios {

// A connection of the router, bound.
class SmscBind : public SmppPeer {
  public:
    SmscBind(SmppPeer&& peer, OwnedPdu bind) : SmppPeer(std::move(peer)), bind_(std::move(bind)) {}

    // The bind request that the router sent.
    const OwnedPdu& bindRequest() const { return bind_; }
    OwnedPdu nextSubmit() { return expect(Command::submitSm); }
    // deliver_sm; gives its sequence number.
    std::uint32_t receipt(const Message& receipt) { return deliver(receipt); }

  private:
    OwnedPdu bind_;
};

class TestSmsc {
  public:
    // Listens on a free port of the loopback.
    TestSmsc();

    std::uint16_t port() const { return port_; }
    nio::UniqueFd acceptSocket();
    // The next connection; nothing on it was read.
    SmppPeer acceptConnection();
    // The next connection, whose bind is answered with ESME_ROK.
    SmscBind accept();
    // No connection is taken any more: connecting fails until listen().
    void stopListening() { listener_.reset(); }
    // On the same port again.
    void listen();

  private:
    nio::UniqueFd listener_;
    std::uint16_t port_ = 0;
};

// An address that nobody listens on, for what cannot choose a port itself: on a loopback address of
// this process's own, so that tests that run at the same time do not take it.
nio::SocketAddress freeAddress();

// Reads the router's bind on a connection, and answers it.
SmscBind acceptBind(SmppPeer connection);

}  // namespace router::scenarios
