#include <nio/handlers/Resolver.h>

namespace nio {

namespace {

SelectorThreadOptions resolverOptions() {
    SelectorThreadOptions options;
    options.name = "resolver";
    options.selector.receiveBufferBytes = 1;  // it has no sockets
    return options;
}

struct Lookup {
    std::string host;
    std::uint16_t port;
    std::shared_ptr<TaskQueue> asker;
    Resolver::Answer answer;
    std::shared_ptr<const std::atomic<bool>> closing;

    void operator()() {
        if (closing->load()) return;
        auto reply = [answer = std::move(answer), found = addresses()]() mutable {
            answer(std::move(found));
        };
        // Refused only when the asker has stopped.
        (void)asker->push(std::move(reply), TaskQueue::Post::exempt).ok();
    }

    Result<std::vector<SocketAddress>> addresses() const {
        Result<SocketAddress> numeric = SocketAddress::numeric(host, port);
        if (numeric) return std::vector<SocketAddress>{numeric.value()};
        return kernel::resolve(host, port);
    }
};

}  // namespace

Resolver::Resolver() : thread_(resolverOptions()) {
    thread_.start();
}

void Resolver::resolve(std::string host, std::uint16_t port, SelectorThread& asker, Answer answer) {
    // Its own dispatcher stops only in the destructor, which nobody may call meanwhile.
    (void)thread_.queue()
        ->push(Lookup{std::move(host), port, asker.queue(), std::move(answer), closing_},
               TaskQueue::Post::exempt)
        .ok();
}

}  // namespace nio
