// Resolves host names on a dispatcher of its own, which has no sockets and may block, so that no
// dispatcher with connections waits for a name server.
//
// Thread: any.
// Lifetime: the destructor waits for the lookup in progress (the system's resolver cannot be
// interrupted); queued ones are never answered. If the asking dispatcher has stopped, the answer is
// destroyed on the Resolver's dispatcher: an answer must not own the Resolver.
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
    using Answer = UniqueFunction<void(Result<std::vector<SocketAddress>>)>;

    Resolver();
    ~Resolver() { closing_->store(true); }

    // `answer` is called once, in a turn of `asker`, with every stream address of the name or the
    // error. A numeric host needs no lookup but is answered in the same way. Once `wanted` has
    // expired the lookup is cancelled and `answer` may never be called. Throws std::bad_alloc, and
    // then never calls it; std::logic_error in a process forked after the Resolver was created.
    void resolve(std::string host, std::uint16_t port, SelectorThread& asker, Answer answer,
                 std::optional<std::weak_ptr<const void>> wanted = {});

  private:
    std::shared_ptr<std::atomic<bool>> closing_ = std::make_shared<std::atomic<bool>>(false);
    SelectorThread thread_;
};

}  // namespace nio
