#include <nio/net/Client.h>

#include <new>
#include <stdexcept>

#include <nio/base/Log.h>

namespace nio {

// The connection outlives the Client, and so may onError: it may destroy the Client.
struct Client::State {
    CallbackErrorHandler onError;
    bool isAwaited = false;  // by run(), which returns the error
    std::optional<Result<void>> ended{};
};

Client::Client(SelectorThread& thread, const SocketAddress& address, DecoderFactory framing,
               CallbackErrorHandler onError, ConnectorOptions options)
    : address_(address),
      framing_(std::move(framing)),
      state_(std::make_shared<State>(State{std::move(onError)})),
      connector_(thread, *this, std::move(options)) {}

void Client::serve(PacketCallbacks callbacks) {
    callbacks.closed = [state = state_, closed = std::move(callbacks.closed)](
                           PacketChannel& channel, const std::optional<Error>& reason) {
        state->ended = reason ? Result<void>(*reason) : Result<void>();
        if (closed) closed(channel, reason);
    };
    listener_ = makeListener(std::move(callbacks));
}

void Client::connectNow() {
    connector_.connectNow(address_);
    state_->ended.reset();
}

Result<void> Client::run() {
    SelectorThread& dispatcher = connector_.dispatcher();
    if (dispatcher.life().hasThread()) {
        throw std::logic_error("Client::run(): dispatcher '" + dispatcher.name() +
                               "' has a thread of its own; call connectNow() on it");
    }
    // Where it can make none this throws, before a task knows the Client.
    bool goesOn = dispatcher.turn(std::chrono::nanoseconds::zero());
    state_->ended.reset();
    auto connect = [this] {
        onDispatcher.assertCurrent();
        try {
            connectNow();
        } catch (const std::bad_alloc&) {
            connectionFailed(connector_, std::errc::not_enough_memory);
        }
    };
    goesOn = goesOn && dispatcher.queue()->pushOrRefuse(connect).ok();
    const std::shared_ptr<State> state = state_;
    state->isAwaited = true;
    while (goesOn && !state->ended) goesOn = dispatcher.turn(std::nullopt);
    state->isAwaited = false;
    return state->ended ? *state->ended : Errc::stopped;
}

// What comes out of here would reach neither the program nor run().
void Client::connectionEstablished(Connector& connector, SocketChannel channel) try {
    auto handler = std::make_unique<PacketChannel>(std::move(channel), framing_(), listener_);
    Result<ChannelHandle> registered =
        connector.dispatcher().registerChannelNow(std::move(handler), Interest::read);
    if (!registered) connectionFailed(connector, registered.error());
} catch (const std::bad_alloc&) {
    connectionFailed(connector, std::errc::not_enough_memory);
}

void Client::connectionFailed(Connector&, const Error& error) {
    const std::shared_ptr<State> state = state_;
    state->ended = error;
    if (state->onError) return state->onError(error);
    if (!state->isAwaited) log(LogLevel::warning, error.message());
}

}  // namespace nio
