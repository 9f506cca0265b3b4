// One connection to a server: a Connector, then a pipeline (PipelineFactory.h).
//
//     nio::SelectorThread dispatcher;
//     nio::Client client(dispatcher, "127.0.0.1:7007", nio::lines(), Asking{"hello"});
//     client.run().orThrow();
//
// A program that runs a loop already, or wants several connections, calls connectNow() instead. For
// a host by name use Connector.h.
//
// Thread: construction any; connectNow() and destruction the dispatcher's own; run() the thread
// that makes the dispatcher's turns, outside of them.
// Lifetime: destroying it gives up a connect in flight; a connection that is open lives on. The
// application may destroy it. It must go before its dispatcher does, on it or once it has stopped;
// after run() any time.
// Errors: the constructor throws std::system_error (badAddress). See connectNow() and run().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <nio/net/Connector.h>
#include <nio/pipeline/PipelineFactory.h>

namespace nio {

struct ClientOptions {
    std::string address{};
    ConnectorOptions connector{};
    StreamOptions stream{};
    // Told why there is no connection; without it connectNow() logs that. It may destroy the
    // Client.
    CallbackErrorHandler onError{};
};

class Client final : private ConnectorListener {
  public:
    // For a pipeline of these steps.
    template <class... Steps>
    requires(sizeof...(Steps) > 0)
        Client(SelectorThread& thread, ClientOptions options, Steps... steps)
        : Client(thread, std::move(options)) {
        makeHandler_ = pipeline(EndWatch{state_}, std::move(steps)...).with(options.stream);
    }
    // The same with default options.
    template <class... Steps>
    requires(sizeof...(Steps) > 0)
        Client(SelectorThread& thread, std::string address, Steps... steps)
        : Client(thread, ClientOptions{.address = std::move(address)}, std::move(steps)...) {}

    // Begins to connect; the application's opened() or onError tells how it went, neither from
    // inside this call. Again once the connection has ended, or has failed.
    void connectNow() NIO_REQUIRES(onDispatcher);

    // connectNow(), then turns of the dispatcher on this thread until the connection has ended or
    // goes on with another pipeline (replaceWith): the program makes the turns for that.
    // Returns how: without an error if it was closed in order or handed on, else why it failed or
    // could not be made. stopped: the dispatcher has stopped. Throws std::logic_error where the
    // dispatcher cannot make turns here: inside one, or after start().
    Result<void> run();

  private:
    // The connection outlives the Client, and so may onError: it may destroy the Client.
    struct State {
        CallbackErrorHandler onError;
        bool isAwaited = false;  // by run(), which returns the error
        bool hasEnded = false;
        Result<void> outcome{};

        void begin() { hasEnded = false, outcome = {}; }
        void fail(const Error& error) { hasEnded = true, outcome = error; }
    };
    // The stage that notes how the connection has ended. Replaced with its pipeline it is told
    // nothing but destroyed.
    struct EndWatch {
        std::shared_ptr<State> state;
        bool watches = false;  // the factory's copy has no connection

        ~EndWatch() {
            if (watches) state->hasEnded = true;
        }
        void opened(auto&) { watches = true; }
        void failed(auto&, const Error& error) { state->fail(error); }
        void closed(auto&) { watches = false, state->hasEnded = true; }
    };

    // Leaves `options.stream` as it is.
    Client(SelectorThread& thread, ClientOptions&& options);

    void connectionEstablished(Connector& connector, SocketChannel channel) override
        NIO_REQUIRES(onDispatcher);
    void connectionFailed(Connector& connector, const Error& error) override
        NIO_REQUIRES(onDispatcher);

    const SocketAddress address_;
    std::function<std::unique_ptr<ReadWriteSelectorHandler>(SocketChannel)> makeHandler_;
    std::shared_ptr<State> state_;
    Connector connector_;
};

}  // namespace nio
