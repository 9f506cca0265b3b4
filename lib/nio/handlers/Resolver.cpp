#include <nio/handlers/Resolver.h>

#include <chrono>
#include <new>
#include <thread>

namespace nio {

namespace {

struct Lookup {
    std::string host;
    std::uint16_t port;
    std::shared_ptr<TaskQueue> asker;
    Resolver::Answer answer;
    std::shared_ptr<const std::atomic<bool>> closing;
    std::optional<std::weak_ptr<const void>> wanted;

    void operator()() {
        if (closing->load() || (wanted && wanted->expired())) return;
        tell(addresses());
    }

    void tell(Result<std::vector<SocketAddress>> found) {
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

Resolver::Resolver() : thread_(SelectorThreadOptions::forBlocking("resolver")) {
    thread_.start();
}

void Resolver::resolve(std::string host, std::uint16_t port, SelectorThread& asker, Answer answer,
                       std::optional<std::weak_ptr<const void>> wanted) {
    Lookup lookup{std::move(host),   port,     asker.queue(),
                  std::move(answer), closing_, std::move(wanted)};
    const Result<void> queued = thread_.queue()->push(std::move(lookup), TaskQueue::Post::exempt);
    if (!queued) lookup.tell(queued.error());
}

}  // namespace nio
