#include <nio/handlers/ConnectionDealer.h>

#include <nio/base/Log.h>

namespace nio {

void ConnectionDealer::socketConnected(Acceptor&, AcceptedConnection connection) {
    std::unique_ptr<ReadWriteSelectorHandler> handler = makeHandler_(std::move(connection));
    if (handler == nullptr) return;
    SelectorThread& thread = group_.next();
    const auto onError = [](const Error& error) {
        log(LogLevel::warning, "a connection was not registered: " + error.message());
    };
    if (thread.registerChannelLater(std::move(handler), Interest::read, onError)) return;
    if (logLimit_.admit(Clock::now())) {
        log(LogLevel::warning, "dispatcher " + thread.name() + " takes no more connections");
    }
}

}  // namespace nio
