#include <nio/net/Client.h>

#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include <nio/base/Guarded.h>
#include <nio/base/Log.h>

namespace nio {

Client::Client(SelectorThread& thread, ClientOptions&& options)
    : address_(SocketAddress::parse(options.address).orThrow()),
      state_(std::make_shared<State>(State{std::move(options.onError)})),
      connector_(thread, *this, std::move(options.connector)) {}

void Client::connectNow() {
    connector_.connectNow(address_);
    state_->begin();
}

Result<void> Client::run() {
    SelectorThread& dispatcher = connector_.dispatcher();
    if (dispatcher.life().hasThread()) {
        throw std::logic_error("Client::run(): dispatcher '" + dispatcher.name() +
                               "' has a thread of its own; call connectNow() on it");
    }
    // Where it can make none this throws, before a task knows the Client.
    bool goesOn = dispatcher.turn(std::chrono::nanoseconds::zero());
    state_->begin();
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
    while (goesOn && !state->hasEnded) goesOn = dispatcher.turn(std::nullopt);
    state->isAwaited = false;
    return state->hasEnded ? state->outcome : Errc::stopped;
}

// What comes out of here would reach neither the program nor run().
void Client::connectionEstablished(Connector& connector, SocketChannel channel) {
    Result<ChannelHandle> registered = Errc::handlerFailed;
    guarded(
        [&] {
            onDispatcher.assertCurrent();
            registered = connector.dispatcher().registerChannelNow(makeHandler_(std::move(channel)),
                                                                   Interest::read);
        },
        [&](const std::exception_ptr& thrown) { registered = errorOf(thrown); });
    if (!registered) connectionFailed(connector, registered.error());
}

void Client::connectionFailed(Connector& connector, const Error& error) {
    const std::shared_ptr<State> state = state_;
    state->fail(error);
    // It may have failed in a task or a deadline, before this turn's wait, which is without end.
    if (state->isAwaited) connector.dispatcher().queue()->nudge();
    if (state->onError) return state->onError(error);
    if (!state->isAwaited) log(LogLevel::warning, error.message());
}

}  // namespace nio
