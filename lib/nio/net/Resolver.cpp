#include <nio/net/Resolver.h>

#include <utility>

#include <nio/group/Ask.h>

namespace nio {

Resolver::Resolver() : thread_(SelectorThreadOptions::forBlocking("resolver")) {
    thread_.start();
}

void Resolver::resolve(std::string host, std::uint16_t port, Answer answer,
                       std::optional<std::weak_ptr<const void>> wanted) {
    if (thread_.life().isLeftBehind()) thread_.join();  // throws the error for forked processes
    auto look = [this, host = std::move(host), port, wanted = std::move(wanted)]() -> Found {
        if (closing_.load() || (wanted && wanted->expired())) return Errc::cancelled;
        const Result<SocketAddress> numeric = SocketAddress::numeric(host, port);
        if (numeric) return std::vector{numeric.value()};
        return kernel::resolve(host, port);
    };
    ask(thread_, std::move(look), std::move(answer));
}

}  // namespace nio
