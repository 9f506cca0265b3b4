#include <nio/handlers/Resolver.h>

#include <chrono>
#include <new>
#include <thread>

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
    std::optional<std::weak_ptr<const void>> wanted;

    void operator()() {
        if (closing->load() || (wanted && wanted->expired())) return;
        Result<std::vector<SocketAddress>> found = addresses();
        auto reply = [answer = std::move(answer), found = std::move(found)]() mutable {
            answer(std::move(found));
        };
        // Refused otherwise only when the asker has stopped.
        while (isShortOfMemory(asker->pushOrRefuse(std::move(reply))) && !closing->load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }

    static bool isShortOfMemory(const Result<void>& pushed) {
        return !pushed && pushed.error().is(std::errc::not_enough_memory);
    }

    Result<std::vector<SocketAddress>> addresses() const try {
        Result<SocketAddress> numeric = SocketAddress::numeric(host, port);
        if (numeric) return std::vector<SocketAddress>{numeric.value()};
        return kernel::resolve(host, port);
    } catch (const std::bad_alloc&) {
        return std::errc::not_enough_memory;
    }
};

}  // namespace

Resolver::Resolver() : thread_(resolverOptions()) {
    thread_.start();
}

void Resolver::resolve(std::string host, std::uint16_t port, SelectorThread& asker, Answer answer,
                       std::optional<std::weak_ptr<const void>> wanted) {
    // Its own dispatcher stops only in the destructor, which nobody may call meanwhile.
    (void)thread_.queue()
        ->push(Lookup{std::move(host), port, asker.queue(), std::move(answer), closing_,
                      std::move(wanted)},
               TaskQueue::Post::exempt)
        .ok();
}

}  // namespace nio
