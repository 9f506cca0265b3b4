// Looks names up on a dispatcher of its own, which has no sockets and may block, so that no
// dispatcher with connections ever waits for a name server.
//
// Thread: any.
// Lifetime: the destructor waits for the look-up under way (the system's resolver cannot be
// interrupted); those that wait behind it are never answered. Answers are dropped when the asking
// dispatcher has stopped, on this one's own: an answer must not own the Resolver.
// Limit: look-ups run one after the other; whoever asks has a time-out of its own (Connector has).
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

    // `answer` is called once, in a turn of `asker`: every stream address of the name, or the
    // reason. A numeric host needs no look-up but is answered in the same way. Once what `wanted`
    // refers to is gone it may not be called: nobody waits for a look-up that was given up. Throws
    // std::bad_alloc, and does not call it then; std::logic_error in a process that was forked from
    // the one that made the Resolver.
    void resolve(std::string host, std::uint16_t port, SelectorThread& asker, Answer answer,
                 std::optional<std::weak_ptr<const void>> wanted = {});

  private:
    std::shared_ptr<std::atomic<bool>> closing_ = std::make_shared<std::atomic<bool>>(false);
    SelectorThread thread_;
};

}  // namespace nio
