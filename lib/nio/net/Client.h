// One connection to a server, as packets: a Connector, then a PacketChannel.
//
//     nio::SelectorThread dispatcher;
//     nio::Client client(dispatcher, "127.0.0.1:7007", nio::lines(), callbacks);
//     client.run().orThrow();
//
// A program that runs a loop already, or wants several connections, calls connectNow() instead. For
// a host by name, or other stream options, use Connector.h.
//
// Thread: construction any; connectNow() and destruction the dispatcher's own; run() the thread
// that makes the dispatcher's turns, outside of them.
// Lifetime: destroying it gives up a connect in flight; a connection that is open lives on. Its
// callbacks may destroy it. It must go before its dispatcher does, on it or once it has stopped;
// after run() any time.
// Errors: the constructor throws std::system_error (badAddress). See connectNow() and run().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nio/connection/PacketCallbacks.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/net/Connector.h>

namespace nio {

class Client final : private ConnectorListener {
  public:
    // `service` is PacketCallbacks or a lambda for the packets, see PacketCallbacks.h. `onError` is
    // told why there is no connection; without it connectNow() logs that.
    template <class Service>
    Client(SelectorThread& thread, const std::string& address, DecoderFactory framing,
           Service service, CallbackErrorHandler onError = {}, ConnectorOptions options = {})
        : Client(thread, SocketAddress::parse(address).orThrow(), std::move(framing),
                 std::move(onError), std::move(options)) {
        serve(packetCallbacks(std::move(service)));
    }

    // Begins to connect; PacketCallbacks::opened or onError tells how it went, neither from inside
    // this call. Again once the connection has ended, or has failed.
    void connectNow() NIO_REQUIRES(onDispatcher);

    // connectNow(), then turns of the dispatcher on this thread until the connection has ended.
    // Returns how: without an error if it was closed in order, else why it failed or could not be
    // made. stopped: the dispatcher has stopped. Throws std::logic_error where the dispatcher
    // cannot make turns here: inside one, or after start().
    Result<void> run();

  private:
    struct State;

    Client(SelectorThread& thread, const SocketAddress& address, DecoderFactory framing,
           CallbackErrorHandler onError, ConnectorOptions options);

    void serve(PacketCallbacks callbacks);
    void connectionEstablished(Connector& connector, SocketChannel channel) override
        NIO_REQUIRES(onDispatcher);
    void connectionFailed(Connector& connector, const Error& error) override
        NIO_REQUIRES(onDispatcher);

    const SocketAddress address_;
    const DecoderFactory framing_;
    std::shared_ptr<PacketChannelListener> listener_;
    std::shared_ptr<State> state_;
    Connector connector_;
};

}  // namespace nio
