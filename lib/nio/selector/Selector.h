// Reports which of the registered channels are ready. It knows no handlers.
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

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nio/selector/SelectionKey.h>
#include <nio/selector/WakeUp.h>
#include <nio/sys/Kernel.h>

namespace nio {

enum class SelectorKind { automatic, epoll, poll, select, uring, kqueue };
// Those that the library was built with: kqueue only where there is <sys/event.h>.
extern const std::span<const SelectorKind> selectorKinds;

// "auto", "epoll", "poll", "select", "uring", "kqueue".
std::string_view nameOf(SelectorKind kind);
// Absent for anything else.
std::optional<SelectorKind> selectorKindFrom(std::string_view name);

struct SelectorOptions {
    SelectorKind kind = SelectorKind::automatic;
    // Maximum bytes per receive, and so per channel and turn.
    std::size_t receiveBufferBytes = 64 * 1024;
    // Maximum keys per select; the others follow in the next turn. Small enough for the keys to be
    // still in the cache when they are dispatched.
    std::size_t maxSelectedKeys = 128;
    // Maximum receive buffers of uring for all channels together (a power of two up to 32,768). It
    // starts with a few and adds more when they run out.
    std::size_t maxReceiveBuffers = 1024;
};

class Selector {
  public:
    // `automatic` is the engine named by the environment variable NIO_SELECTOR (invalid_argument if
    // unknown), else epoll, else kqueue, else poll. If the engine is unavailable: notSupported or
    // the kernel's error. invalid_argument for a limit of 0.
    static Result<std::unique_ptr<Selector>> open(const SelectorOptions& options);
    virtual ~Selector() = default;

    virtual std::string_view name() const = 0;
    virtual ChannelIo& io() = 0;

    // A key whose channel has no descriptor is never ready, and must have no interest.
    Result<void> add(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    void cancel(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    // Cancels the key of a channel that stays open and migrates to another selector. False:
    // operations are in flight and the key is unchanged; retry after the next select.
    bool release(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    std::size_t keyCount() const { return keyCount_; }

    // Waits until a channel is ready, wakeUp() is called, or the time expires (absent: no limit).
    // The keys are valid until the next select.
    [[gnu::hot]] Result<std::span<SelectionKey* const>> select(kernel::WaitTime wait)
        NIO_REQUIRES(onDispatcher);

    // Polls readable while a select has something to report, unless hasWork(): for a loop that
    // waits elsewhere. Error: notSupported by this engine.
    virtual Result<int> descriptor() NIO_REQUIRES(onDispatcher) {
        return Error(Errc::notSupported, "a descriptor of the selector " + std::string(name()));
    }
    // The next select would not sleep, whatever the kernel says. Unread input that is not wanted
    // waits for a change of interest.
    virtual bool hasWork() const NIO_REQUIRES(onDispatcher) {
        return hasChanges() ||
               std::any_of(holdInput_.begin(), holdInput_.end(), [](const SelectionKey* key) {
                   return key->channel().hasUnread() && any(key->interest_ & Interest::read);
               });
    }

    // Submits what an engine has queued for the next select, which may not come soon.
    virtual Result<void> handOver() NIO_REQUIRES(onDispatcher) { return {}; }

    // In a forked process: replaces the kernel objects shared with the parent. Afterwards every key
    // must be passed to watchAgain(). Can be retried after an error.
    Result<void> startOver() NIO_REQUIRES(onDispatcher);
    void watchAgain(SelectionKey& key) NIO_REQUIRES(onDispatcher);

    const std::shared_ptr<WakeUp>& wakeUp() const { return wakeUp_; }

  protected:
    Selector() : wakeUp_(std::make_shared<WakeUp>()) { selected_.reserve(16); }

    virtual Result<void> watch(SelectionKey& key) NIO_REQUIRES(onDispatcher) = 0;
    virtual void unwatch(SelectionKey& key) NIO_REQUIRES(onDispatcher) = 0;
    virtual Result<void> rearm(SelectionKey& key) NIO_REQUIRES(onDispatcher) = 0;
    // Removes the key from the kernel while its channel stays open. False: operations are in
    // flight; retry after the next select. Input that they still receive goes to
    // SocketChannel::unread().
    virtual bool detach(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    // The key's channel has unread input: its read interest is ready without the kernel.
    virtual void noteUnread(SelectionKey& key) NIO_REQUIRES(onDispatcher);
    // startOver() after the wake-up was replaced. The default is an error.
    virtual Result<void> renew() NIO_REQUIRES(onDispatcher) {
        return Error(Errc::notSupported, "a selector of a process that was forked");
    }
    // Appends to selected_ by way of offer().
    virtual Result<void> wait(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher) = 0;

    // The number of keys that there is memory to offer; the others are still ready in the next
    // select. Zero only if some have been offered.
    std::size_t roomToOffer(std::size_t keys) NIO_REQUIRES(onDispatcher) {
        const std::size_t room = selected_.capacity() - selected_.size();
        return keys <= room ? keys : makeRoomToOffer(keys);
    }
    // The next select has changes for the kernel.
    bool hasChanges() const { return !changed_.empty(); }
    // `found`: the operations that the kernel reports; `broken`: it reports an error or a hang-up,
    // which makes every interest ready. Returns whether any of it was in the interest.
    bool offer(SelectionKey& key, Interest found, bool broken) NIO_REQUIRES(onDispatcher) {
        if (key.broken_) return true;
        // A key with unread input may have been offered in this select already.
        const Interest before = key.holdsInput_ ? key.ready_ : Interest::none;
        const Interest wanted = broken ? key.interest_ : found & key.interest_;
        const bool isWanted = any(wanted);
        key.ready_ = before | wanted;
        if (isWanted && !any(before)) selected_.push_back(&key);
        return isWanted;
    }

  private:
    friend class SelectionKey;

    [[gnu::noinline]] std::size_t makeRoomToOffer(std::size_t keys) NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void rearmChanged() NIO_REQUIRES(onDispatcher);
    [[gnu::noinline]] void offerUnread() NIO_REQUIRES(onDispatcher);
    void strike(SelectionKey& key) NIO_REQUIRES(onDispatcher);

    std::shared_ptr<WakeUp> wakeUp_;
    std::vector<SelectionKey*> changed_;  // cancelled ones are null
    std::vector<SelectionKey*> selected_;
    std::vector<SelectionKey*> holdInput_;  // their channels have, or had, unread input
    std::size_t keyCount_ = 0;
};

}  // namespace nio
