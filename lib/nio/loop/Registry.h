// The channels that are registered with one dispatcher, from registration to burial: each has a
// Registration, which owns its handler.
//
// The registration of a closed channel, with its handler, stays in memory as a grave until bury().
// So does a handler that was replaced.
//
// Thread: the dispatcher's own, unless it says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <nio/loop/ChannelHandle.h>
#include <nio/loop/SlotTable.h>
#include <nio/selector/Selector.h>
#include <nio/sys/Process.h>

namespace nio {

class ExceptionBarrier;

class Registry {
  public:
    // All must outlive it.
    Registry(SelectorThread& thread, const DispatcherIdentity& identity, Selector& selector,
             ExceptionBarrier& barrier)
        : thread_(thread),
          selector_(selector),
          barrier_(barrier),
          context_{{identity, selector.io()}, selector} {}
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    // Connections that are registered or expected. Thread: any.
    std::size_t connectionCount() const { return connections_.load(std::memory_order_relaxed); }
    // `by` +1: a connection is in flight to this dispatcher; -1: it has arrived or will not come.
    // Thread: any.
    void expectConnection(bool isConnection, int by) {
        if (isConnection) {
            connections_.fetch_add(static_cast<std::size_t>(by), std::memory_order_relaxed);
        }
    }

    std::string_view selectorName() const { return selector_.name(); }

    // --- registration -----------------------------------------------------------------------

    // See SelectorThread::registerChannelNow. On success the registration owns the handler; then
    // call welcome(). If this throws, nothing has changed.
    Result<Registration*> add(Registration::Served served, Interest interest)
        NIO_REQUIRES(onDispatcher);
    // Calls handleRegistered(), which may end the thread: the caller must no longer own the
    // handler.
    ChannelHandle welcome(Registration& registration) NIO_REQUIRES(onDispatcher);
    // Registers without callbacks. `slot`: the one that the channel kept while it was away.
    Result<Registration*> enter(Registration::Served served, Interest interest,
                                std::optional<std::uint32_t> slot = {}) NIO_REQUIRES(onDispatcher);
    // Nothing can be registered from now on.
    void close() NIO_REQUIRES(onDispatcher) { closed_ = true; }
    // Null: the channel is not registered. Throws WrongThreadError, which names `call`, outside
    // this dispatcher's turn and if the channel is registered elsewhere.
    Registration* of(const SelectableChannel& channel, const char* call) const
        NIO_REQUIRES(onDispatcher) {
        context_.owner.assertCurrent(call);
        ChannelRegistration* registration = channel.registration();
        const bool isElsewhere =
            registration != nullptr && &registration->owner() != &context_.owner;
        if (isElsewhere) registration->owner().assertCurrent(call);
        return static_cast<Registration*>(registration);
    }
    // Null: closed, or not here.
    SelectorHandler* find(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // See SelectorThread::handleOf.
    ChannelHandle handleOf(const SelectableChannel& channel) NIO_REQUIRES(onDispatcher);
    // Sets the interest to change(old interest).
    template <class Change>
    void changeInterest(SelectableChannel& channel, const char* call, Change&& change)
        NIO_REQUIRES(onDispatcher) {
        Registration* key = of(channel, call);
        if (key == nullptr) return;
        if (Interest* there = interestThere(*key)) {
            *there = change(*there);
        } else {
            key->setInterest(change(key->interest()));
        }
    }
    // Whether a drain must still wait for a handler.
    bool holdsUpDrain() const NIO_REQUIRES(onDispatcher) { return awaited_ > 0; }
    SlotTable& table() NIO_REQUIRES(onDispatcher) { return slots_; }
    // How often each channel was found ready since the last call: for the Rebalancer.
    struct Activity {
        SelectableChannel* channel;
        std::uint32_t timesReady;
        bool isMovable;
    };
    std::vector<Activity> takeActivities() NIO_REQUIRES(onDispatcher);

    // --- visits: see SelectorThread::flushLater and revisitLater ------------------------------

    void flushLater(SelectableChannel& channel) NIO_REQUIRES(onDispatcher);
    void revisitLater(SelectableChannel& channel) NIO_REQUIRES(onDispatcher);
    template <class Visit>
    void flush(Visit&& visit) NIO_REQUIRES(onDispatcher) {
        flush_.visitAll(visit);
    }
    template <class Visit>
    void revisit(Visit&& visit) NIO_REQUIRES(onDispatcher) {
        revisit_.visitAll(visit);
    }
    // Flushes, revisits and graves wait.
    bool hasWork() const NIO_REQUIRES(onDispatcher) {
        return hasGraves() || !revisit_.empty() || !flush_.empty();
    }
    // Performs the due actions of the memory budget: evicts the largest buffer holders, and tells
    // holders of output whether reads are paused. Only between two callbacks.
    [[gnu::cold]] void relieveMemory() NIO_REQUIRES(onDispatcher);

    // --- the end ----------------------------------------------------------------------------

    // Its channel is closing.
    void ended(Registration& registration) NIO_REQUIRES(onDispatcher);
    bool hasGraves() const NIO_REQUIRES(onDispatcher) {
        return graves_ != nullptr || !replaced_.empty();
    }
    void bury() NIO_REQUIRES(onDispatcher);
    // In a forked process: renews the kernel objects of the selector. Try again if it throws.
    void goOnAfterFork() NIO_REQUIRES(onDispatcher) {
        if (forks_ != kernel::forkCount()) [[unlikely]]
            startOver();
    }

    // --- for migration ----------------------------------------------------------------------

    struct Visits {
        bool flushes = false;
        bool revisits = false;
    };
    Visits takeVisits(Registration& registration) NIO_REQUIRES(onDispatcher);
    void addVisits(Registration& registration, Visits visits) NIO_REQUIRES(onDispatcher);
    // False: operations are in flight.
    bool release(Registration& registration) NIO_REQUIRES(onDispatcher) {
        return selector_.release(registration);
    }
    // Detaches the channel of a released registration, which loses its handler and is buried.
    void leave(Registration& registration) NIO_REQUIRES(onDispatcher);
    void takeOver(SelectorHandler& handler) { handler.dispatcher_ = &thread_; }

  private:
    // A channel whose handleClosed() is running.
    struct Closing {
        const SelectableChannel* channel;
        ChannelHandle handle;
        const Closing* outer;
    };

    void replace(Registration& registration, Registration::Served served, Interest interest)
        NIO_REQUIRES(onDispatcher);
    ChannelHandle handleOf(const Registration& registration) NIO_REQUIRES(onDispatcher);
    void count(const SelectorHandler& handler, int by) NIO_REQUIRES(onDispatcher);
    // The interest that a channel waiting to leave will have on the target. Null: it does not
    // leave.
    Interest* interestThere(Registration& registration) NIO_REQUIRES(onDispatcher) {
        return registration.travels ? askForInterestThere(registration) : nullptr;
    }
    Visits* visitsThere(const Registration& registration) NIO_REQUIRES(onDispatcher);
    Interest* askForInterestThere(Registration& registration) NIO_REQUIRES(onDispatcher);
    void startOver() NIO_REQUIRES(onDispatcher);
    Registration* holderIn(std::uint32_t slot) NIO_REQUIRES(onDispatcher);
    void tellPressure() NIO_REQUIRES(onDispatcher);
    void evictWorst() NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    Selector& selector_;
    ExceptionBarrier& barrier_;
    const SelectionKey::Context context_;
    std::atomic<std::size_t> connections_{0};
    SlotTable slots_ NIO_GUARDED_BY(onDispatcher);
    VisitList flush_ NIO_GUARDED_BY(onDispatcher){&Registration::flushQueued};
    VisitList revisit_ NIO_GUARDED_BY(onDispatcher){&Registration::revisitQueued};
    Registration* graves_ NIO_GUARDED_BY(onDispatcher) = nullptr;
    const Closing* closing_ NIO_GUARDED_BY(onDispatcher) = nullptr;  // the last one first
    std::vector<std::unique_ptr<SelectorHandler>> replaced_ NIO_GUARDED_BY(onDispatcher);
    std::size_t awaited_ NIO_GUARDED_BY(onDispatcher) = 0;  // handlers that a drain waits for
    bool closed_ NIO_GUARDED_BY(onDispatcher) = false;
    std::uint32_t forks_ NIO_GUARDED_BY(onDispatcher) = kernel::forkCount();
};

}  // namespace nio
