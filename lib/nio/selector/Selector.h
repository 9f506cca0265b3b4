// Tells which of the registered channels are ready. It calls no handler and knows none.
//
// Keys, selected keys and cancelled keys are kept apart: the keys are those added and not
// cancelled; select() hands out the selected ones; a key cancelled after that stays in the list,
// invalid, until the next select.
//
// Interest changes stay in user space until select(), and only a real difference reaches the
// kernel.
//
// Thread: the dispatcher's own; wakeUp() any.
// Errors: add() refuses with the kernel's reason (no memory, the system's limit of watches).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nio/selector/SelectionKey.h>
#include <nio/selector/WakeUp.h>
#include <nio/sys/Kernel.h>

namespace nio {

enum class SelectorKind { automatic, epoll, poll, uring };
inline constexpr std::array selectorKinds{SelectorKind::automatic, SelectorKind::epoll,
                                          SelectorKind::poll, SelectorKind::uring};

// "auto", "epoll", "poll", "uring".
std::string_view nameOf(SelectorKind kind);
// Absent for anything else.
std::optional<SelectorKind> selectorKindFrom(std::string_view name);

struct SelectorOptions {
    SelectorKind kind = SelectorKind::automatic;
    // What one receive takes at most; also the bytes read per channel and turn.
    std::size_t receiveBufferBytes = 64 * 1024;
    // Keys that one select hands out at most; the others follow in the next turn. Few enough that
    // what the select has looked at is still in the cache when its turn comes.
    std::size_t maxSelectedKeys = 128;
    // Buffers that uring receives into at most, those of all channels together (a power of two up
    // to 32,768). It begins with few, and takes more when they have run out.
    std::size_t maxReceiveBuffers = 1024;
};

class Selector {
  public:
    // `automatic` is what the environment variable NIO_SELECTOR names (invalid_argument where it
    // names nothing), else epoll, else poll. Where the kind asked for is missing here: notSupported
    // or the kernel's reason. invalid_argument for a limit of 0.
    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);
    virtual ~Selector() = default;

    virtual std::string_view name() const = 0;
    virtual ChannelIo& io() = 0;

    Result<void> add(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void cancel(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    // Ends the key as cancel() does, for a channel that stays open and goes to another selector.
    // False: operations are under way; ask again after the next select. Until it is true the key
    // stays as it is.
    bool release(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    std::size_t keyCount() const { return keyCount_; }

    // Waits until a channel is ready, wakeUp() was called, or the time is over (absent: without
    // end). The keys are valid until the next select.
    [[gnu::hot]] Result<std::span<SelectionKey* const>> select(kernel::WaitTime wait)
        NIO_REQUIRES(onDispatcher);

    // What an engine keeps back for the next select goes to the kernel: there may be none soon.
    virtual Result<void> handOver() NIO_REQUIRES(onDispatcher) { return {}; }

    // In a process that was forked: what the kernel keeps for the other one is made anew. Each key
    // that there is must be given to watchAgain() then. What fails can be called again.
    Result<void> startOver() NIO_REQUIRES(onDispatcher);
    void watchAgain(SelectionKey& key) NIO_REQUIRES(onDispatcher);

    const std::shared_ptr<WakeUp>& wakeUp() const { return wakeUp_; }

  protected:
    Selector() : wakeUp_(std::make_shared<WakeUp>()) { selected_.reserve(16); }

    virtual Result<void> watch(SelectionKey& key) NIO_REQUIRES(onDispatcher) = 0;
    virtual void unwatch(SelectionKey& key) NIO_REQUIRES(onDispatcher) = 0;
    virtual Result<void> rearm(SelectionKey& key) NIO_REQUIRES(onDispatcher) = 0;
    // The kernel is to forget the key while its channel stays open. False: operations are under
    // way, ask again after the next select. Input that they still bring goes to
    // SocketChannel::unread().
    virtual bool letGo(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    // The key's channel holds input of its own: its read interest is ready without the kernel.
    virtual void noteUnread(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    // startOver(), after the wake-up was made anew. An engine that does not say how cannot go on.
    virtual Result<void> renew() NIO_REQUIRES(onDispatcher) {
        return Error(Errc::notSupported, "a selector of a process that was forked");
    }
    // Appends to selected_ by way of offer().
    virtual Result<void> wait(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher) = 0;

    // So many of the keys that are to be offered there is memory for; the others are still ready in
    // the next select. None only when some have been offered.
    std::size_t roomToOffer(std::size_t keys) NIO_REQUIRES(onDispatcher);
    // The next select has something to tell the kernel.
    bool hasChanges() const { return !changed_.empty(); }
    // `found` is what the kernel reports; `broken` that it reports an error or a hang-up, which
    // makes every interest ready. Returns whether anything was wanted.
    [[gnu::hot]] bool offer(SelectionKey& key, Interest found, bool broken)
        NIO_REQUIRES(onDispatcher);

  private:
    friend class SelectionKey;

    void rearmChanged() NIO_REQUIRES(onDispatcher);
    void offerUnread() NIO_REQUIRES(onDispatcher);
    void strike(SelectionKey& key) NIO_REQUIRES(onDispatcher);

    std::shared_ptr<WakeUp> wakeUp_;
    std::vector<SelectionKey*> changed_;  // cancelled ones are null
    std::vector<SelectionKey*> selected_;
    std::vector<SelectionKey*> holdInput_;  // their channels have, or had, unread input
    std::size_t keyCount_ = 0;
};

}  // namespace nio
