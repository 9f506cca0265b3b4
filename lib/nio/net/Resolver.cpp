#include <nio/net/Resolver.h>

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

    auto reply(Result<std::vector<SocketAddress>> found) {
        return [answer = std::move(answer), found = std::move(found)]() mutable {
            answer(std::move(found));
        };
    }

    void operator()() {
        if (closing->load() || (wanted && wanted->expired())) return;
        auto said = reply(addresses());
        // Fails otherwise only if the asker has stopped.
        while (isShortOfMemory(asker->pushOrRefuse(std::move(said))) && !closing->load()) {
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
    if (thread_.life().isLeftBehind()) thread_.join();  // throws the error for forked processes
    Lookup lookup{std::move(host),   port,     asker.queue(),
                  std::move(answer), closing_, std::move(wanted)};
    constexpr TaskQueue::Post exempt = TaskQueue::Post::exempt;
    const Result<void> queued = thread_.queue()->push(std::move(lookup), exempt);
    // The resolver is out of memory.
    if (!queued) (void)asker.queue()->push(lookup.reply(queued.error()), exempt).ok();
}

}  // namespace nio
