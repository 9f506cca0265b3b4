// Resolves host names on a dispatcher of its own, which has no sockets and may block, so that no
// dispatcher with connections waits for a name server.
//
// Thread: any, except resolve().
// Lifetime: the destructor waits for the lookup in progress (the system's resolver cannot be
// interrupted); queued ones are cancelled.
// Limit: lookups run one after the other; the caller has its own timeout (Connector has).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/loop/SelectorThread.h>

namespace nio {

class Resolver {
  public:
    using Found = Result<std::vector<SocketAddress>>;
    using Answer = UniqueFunction<void(Found)>;

    Resolver();
    ~Resolver() { closing_.store(true); }

    // `answer` is called once in a later turn of the asking dispatcher, with every stream address
    // of the name or the error, see Ask.h. A numeric host needs no lookup but is answered in the
    // same way. cancelled: `wanted` had expired before the lookup. Throws std::bad_alloc, and then
    // never calls it; std::logic_error in a process forked after the Resolver was created.
    // Thread: a dispatcher's own.
    void resolve(std::string host, std::uint16_t port, Answer answer,
                 std::optional<std::weak_ptr<const void>> wanted = {}) NIO_REQUIRES(onDispatcher);

  private:
    std::atomic<bool> closing_{false};
    SelectorThread thread_;
};

}  // namespace nio
