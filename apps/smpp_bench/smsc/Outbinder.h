// Connects to where an ESME waits for outbind, again and again until it succeeds, and anew when
// that connection is gone.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <nio/net/Connector.h>

namespace smppbench {

class Outbinder final : private nio::ConnectorListener {
  public:
    using Made = nio::UniqueFunction<void(nio::SocketChannel)>;

    // `address` is numeric, "127.0.0.1:2775"; `keepAlive` as nio::ConnectorOptions has it.
    Outbinder(nio::SelectorThread& thread, const std::string& address,
              std::chrono::seconds keepAlive, Made made)
        : address_(nio::SocketAddress::parse(address).orThrow()),
          made_(std::move(made)),
          connector_(thread, *this, {.keepAlive = keepAlive}),
          again_(thread.deadlines(), [this] {
              nio::onDispatcher.assertCurrent();
              connect();
          }) {}

    void connect() NIO_REQUIRES(nio::onDispatcher) { connector_.connectNow(address_); }
    void connectSoon() NIO_REQUIRES(nio::onDispatcher) {
        again_.wakeAfter(std::chrono::milliseconds(200));
    }

  private:
    void connectionEstablished(nio::Connector&, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher) {
        made_(std::move(channel));
    }
    void connectionFailed(nio::Connector&, const nio::Error&) override
        NIO_REQUIRES(nio::onDispatcher) {
        connectSoon();
    }

    const nio::SocketAddress address_;
    Made made_;
    nio::Connector connector_;
    nio::Deadline again_;
};

}  // namespace smppbench
