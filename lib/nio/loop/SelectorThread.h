// The dispatcher: one selector and the one thread that may touch it.
//
//     nio::SelectorThread dispatcher;
//     dispatcher.start();
//     dispatcher.registerChannelLater(std::move(handler), nio::Interest::read, onError);
//
// A turn is, always in this order: tasks, close?, select, dispatch, flush, bury. run() makes turns
// on the calling thread until the dispatcher is closed, start() on a thread of its own, turn()
// makes exactly one, for a program with a loop of its own. One thread at a time makes turns.
//
// Most calls come in pairs, as in the article: …Now only in this dispatcher's own turn (elsewhere
// it throws WrongThreadError before it touches anything), …Later from any thread.
//
// Lifetime: must outlive its handles and everything that posts to it. The destructor closes it
// (aborting what is left) and joins its thread; inside one of its own turns it logs an error and
// calls abort(). So a program with a static dispatcher must not call exit() in a callback, but
// requestClose() or _exit(). A process may be forked (daemon(3)) before run() or start(): the new
// process gets selectors of its own. After start() it is too late, see
// DispatcherLife::isLeftBehind.
// Errors: the constructor throws std::system_error. A callback that ends its thread (pthread_exit)
// ends the dispatcher: its connections are closed, its other tasks run, invokeAndWait returns
// threadEnded to the caller that waits for that task, onGivingUp is called, and join() returns.
// Source: ONJava article 2004, SelectorThread.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <nio/loop/ChannelHandle.h>
#include <nio/loop/ChannelMoves.h>
#include <nio/loop/DispatcherLife.h>
#include <nio/loop/Drain.h>
#include <nio/loop/Draining.h>
#include <nio/loop/ExceptionBarrier.h>
#include <nio/loop/IdleWait.h>
#include <nio/loop/Registry.h>
#include <nio/loop/SelectorHandlers.h>
#include <nio/loop/SelectorThreadOptions.h>
#include <nio/memory/MemoryAccount.h>
#include <nio/observe/TurnObserver.h>
#include <nio/tasks/Questions.h>
#include <nio/timers/IdleTimeouts.h>

namespace nio {

// A handler that implements exactly one of the three interfaces.
template <class H>
concept ServingHandler = requires(H& handler) {
    Registration::Served::by(handler);
};

class SelectorThread {
  public:
    explicit SelectorThread(SelectorThreadOptions options = {});
    ~SelectorThread();

    // --- life: Thread: any ------------------------------------------------------------------

    // Makes turns on the calling thread until closed (see also SelectorThreadOptions::idleStop).
    void run();
    // Makes turns on a thread of its own. At most once.
    void start();
    // Makes one turn. It waits for events for at most `wait` (absent: no limit). Returns false once
    // the dispatcher has stopped. Tasks and deadlines run before the wait: one that ends the
    // caller's loop must call queue()->nudge(), unless `wait` has a limit.
    // Throws std::logic_error inside one of its own turns, or while another thread makes one.
    bool turn(kernel::WaitTime wait);
    // Begins a graceful shutdown, see Drain.h. May be called again: the earlier deadline counts.
    // Never fails: out of memory, it begins ahead of the waiting tasks.
    void requestClose(const DrainOptions& options = {});
    // Waits until the thread of start() has ended, after requestClose(). If no thread can be made
    // for that (lazyStart, idleStop), it returns with isStopped() false, and the destructor does
    // the rest. Not on a dispatcher. Throws std::logic_error in one of its own turns, and if
    // isLeftBehind().
    void join() { life_.join(); }
    bool isStopped() const { return life_.isStopped(); }

    const std::string& name() const { return identity_.name(); }
    const DispatcherIdentity& identity() const { return identity_; }
    bool isCurrent() const { return identity_.isCurrent(); }

    // Connections (read/write handlers) registered, or in flight here by registerChannelLater.
    std::size_t connectionCount() const { return registry_.connectionCount(); }
    // What it has counted so far. Takes no lock, so it works on a dispatcher that hangs, too.
    DispatcherMetrics metrics() const;

    // --- invocations: Thread: any -----------------------------------------------------------
    // These, and all ...Later calls below that do not say otherwise, throw std::bad_alloc if the
    // task cannot be allocated; it is then not queued.

    // Runs `task` in a turn of this dispatcher; tasks of one thread keep their order. Always
    // queues, also on its own thread. A dispatcher that is destroyed before it ever ran runs its
    // tasks in its destructor. False: stopped or full; `task` is untouched.
    template <class F>
    [[nodiscard]] bool invokeLater(F&& task) {
        static_assert(std::invocable<F>, "a task takes no arguments");
        if constexpr (std::invocable<F>) return queue_->push(std::forward<F>(task)).ok();
        return false;
    }
    // The same for one channel: `task(handler)` runs if the channel is still registered then, else
    // it is dropped and counted. It is posted to the handle's dispatcher, whichever is called, and
    // follows a channel that has migrated; if there is no memory for that on the way, it fails
    // (onFailure).
    template <class F>
    [[nodiscard]] bool invokeLater(ChannelHandle handle, F&& task);

    // Runs `task` in a turn of this dispatcher, waits for it, and returns its result or rethrows
    // its exception. In one of the dispatcher's own turns it runs in place. Errors at once:
    // stopped, notStarted, queueFull, waitCycle (this dispatcher waits, directly or through others,
    // for the caller's; or the caller makes its turns by hand, or is the dispatcher's own thread
    // that ends, in the destructor of a thread_local object). Errors after a wait, and the task
    // never runs: timedOut, cancelled (a limit was reached before it began; once begun it is waited
    // for), resource_unavailable_try_again (no limit was given, and no thread could be made:
    // lazyStart, idleStop). threadEnded: see above. See also SelectorThreadOptions::handDrivenWait.
    template <std::invocable F>
    Result<std::invoke_result_t<F&>> invokeAndWait(F&& task, const WaitLimits& limits = {});

    // --- channels ---------------------------------------------------------------------------

    // Registers handler->channel() and takes ownership of the handler, whose type says for what:
    // accept, connect, or reading and writing. If the channel is registered here already, this
    // handler replaces its old one, which is destroyed at the end of the turn. On an error the
    // handler stays with the caller: stopped, alreadyRegistered (elsewhere), bad_file_descriptor
    // (closed), invalid_argument (an interest that the handler's interface does not serve), or the
    // kernel's reason.
    // Thread: the dispatcher's own.
    template <class H>
    Result<ChannelHandle> registerChannelNow(std::unique_ptr<H>&& handler, Interest interest)
        NIO_REQUIRES(onDispatcher);
    // Thread: any. On an error the handler stays with the caller: stopped, queueFull,
    // not_enough_memory, alreadyRegistered (here: see registerChannelNow; elsewhere:
    // ChannelMoves::moveNow). Later errors go to onError, and the handler is destroyed.
    template <class H>
    Result<void> registerChannelLater(std::unique_ptr<H>&& handler, Interest interest,
                                      CallbackErrorHandler onError = {});

    // Without effect on a closed channel. Thread: the dispatcher's own.
    void addChannelInterestNow(SelectableChannel& channel, Interest added)
        NIO_REQUIRES(onDispatcher) {
        registry_.changeInterest(channel, "addChannelInterestNow",
                                 [added](Interest before) { return before | added; });
    }
    void removeChannelInterestNow(SelectableChannel& channel, Interest removed)
        NIO_REQUIRES(onDispatcher) {
        registry_.changeInterest(channel, "removeChannelInterestNow",
                                 [removed](Interest before) { return before - removed; });
    }
    void setChannelInterestNow(SelectableChannel& channel, Interest interest)
        NIO_REQUIRES(onDispatcher) {
        registry_.changeInterest(channel, "setChannelInterestNow",
                                 [interest](Interest) { return interest; });
    }
    // Thread: any. False: stopped or full. notRegistered goes to onError when the channel is gone.
    [[nodiscard]] bool addChannelInterestLater(ChannelHandle handle, Interest added,
                                               CallbackErrorHandler onError = {});
    [[nodiscard]] bool removeChannelInterestLater(ChannelHandle handle, Interest removed,
                                                  CallbackErrorHandler onError = {});

    // The handler of a channel that is registered here now, else null. Thread: the dispatcher's
    // own.
    SelectorHandler* findNow(ChannelHandle handle) NIO_REQUIRES(onDispatcher) {
        return registry_.find(handle);
    }
    // Returns an invalid handle if the channel is not registered; inside its handleClosed() still
    // its handle. Throws WrongThreadError if it is registered elsewhere. Thread: the dispatcher's
    // own.
    ChannelHandle handleOf(const SelectableChannel& channel) NIO_REQUIRES(onDispatcher) {
        return registry_.handleOf(channel);
    }

    // --- for handlers: Thread: the dispatcher's own -----------------------------------------

    // Calls handleFlush() once in this turn's flush (or the next one's, when that is over).
    void flushLater(SelectableChannel& channel) NIO_REQUIRES(onDispatcher) {
        registry_.flushLater(channel);
    }
    // Calls handleRevisit() at the beginning of the next dispatch; the select before it does not
    // sleep.
    void revisitLater(SelectableChannel& channel) NIO_REQUIRES(onDispatcher) {
        registry_.revisitLater(channel);
    }
    // Sets how many bytes the channel and its handler hold in buffers, until the next call, its
    // close or migration. `evictFirst`: evicted before unmarked channels when the memory budget is
    // exhausted.
    void countBuffered(SelectableChannel& channel, std::size_t bytes, bool evictFirst = false)
        NIO_REQUIRES(onDispatcher);
    // What its channels hold in buffers, and which actions of the memory budget are in force.
    MemoryAccount& memory() NIO_REQUIRES(onDispatcher) {
        identity_.assertCurrent("memory");
        return memory_;
    }
    // For the Deadlines of this dispatcher.
    DeadlineQueue& deadlines() { return deadlines_; }
    // Calls handleIdle() of handlers that are idle for too long.
    IdleTimeouts& idleTimeouts() { return idleTimeouts_; }

    // --- its parts: each says which thread may use it ----------------------------------------

    // The thread that start() made, what fork() left of it, and its CPU time.
    const DispatcherLife& life() const { return life_; }
    // The graceful shutdown: its report, its listeners, a time at which it begins.
    Draining& draining() { return draining_; }
    // Migration of channels to other dispatchers.
    ChannelMoves& moves() { return moves_; }
    Registry& registry() { return registry_; }
    // Its outstanding questions to others (Ask.h).
    Questions& questions() NIO_REQUIRES(onDispatcher) { return questions_; }
    // For posts that may outlive this dispatcher: the queue refuses them once it has stopped.
    const std::shared_ptr<TaskQueue>& queue() const { return queue_; }
    // Meter and flight recorder.
    TurnObserver& observer() NIO_REQUIRES(onDispatcher) { return observer_; }

  private:
    friend class HostedTurns;

    [[gnu::hot]] bool makeTurn(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    // The steps of a turn.
    void runTasks() NIO_REQUIRES(onDispatcher);
    bool closeIfDue() NIO_REQUIRES(onDispatcher);
    std::span<SelectionKey* const> select(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void dispatch(std::span<SelectionKey* const> selected) NIO_REQUIRES(onDispatcher);
    void flush() NIO_REQUIRES(onDispatcher);
    void bury() NIO_REQUIRES(onDispatcher);

    void runUntilIdle(std::chrono::milliseconds limit) NIO_REQUIRES(onDispatcher);
    void finish() NIO_REQUIRES(onDispatcher);

    const SelectorThreadOptions options_;
    const DispatcherIdentity identity_;
    const std::unique_ptr<Selector> selector_;
    const std::shared_ptr<TaskQueue> queue_;
    IdleWait idle_;
    DispatcherLife life_{identity_, *queue_, idle_, options_.handDrivenWait};
    Questions questions_{queue_};
    TurnObserver observer_;
    ExceptionBarrier barrier_{identity_.name(), options_, observer_};
    DeadlineQueue deadlines_{identity_};
    MemoryAccount memory_{name(), deadlines_, queue_, options_.memoryBudget};
    IdleTimeouts idleTimeouts_;
    Registry registry_{*this, identity_, *selector_, barrier_};
    ChannelMoves moves_{*this, barrier_};
    Draining draining_{*this, barrier_};
};

// `wait`, but not beyond the time at which the dispatcher has something to do by itself. For the
// library.
kernel::WaitTime untilDue(SelectorThread& dispatcher, kernel::WaitTime wait)
    NIO_REQUIRES(onDispatcher);

// One compile error that says what is wrong, instead of a list of overloads.
template <class H>
constexpr bool isServing() {
    static_assert(ServingHandler<H>,
                  "a handler implements exactly one of AcceptSelectorHandler, "
                  "ConnectSelectorHandler and ReadWriteSelectorHandler");
    return ServingHandler<H>;
}

template <class H>
Result<ChannelHandle> SelectorThread::registerChannelNow(std::unique_ptr<H>&& handler,
                                                         Interest interest) {
    identity_.assertCurrent("registerChannelNow");
    if constexpr (!isServing<H>()) {
        return std::errc::invalid_argument;
    } else {
        const Result<Registration*> added =
            registry_.add(Registration::Served::by(*handler), interest);
        if (!added) return added.error();
        (void)handler.release();
        return registry_.welcome(*added.value());
    }
}

template <class H>
Result<void> SelectorThread::registerChannelLater(std::unique_ptr<H>&& handler, Interest interest,
                                                  CallbackErrorHandler onError) {
    if constexpr (!isServing<H>()) {
        return std::errc::invalid_argument;
    } else {
        struct Register {
            SelectorThread* thread;
            std::unique_ptr<H> handler;
            Interest interest;
            CallbackErrorHandler onError;

            void operator()() {
                onDispatcher.assertCurrent();
                const auto done = arrive();
                if (!done && onError) onError(done.error());
            }
            Result<ChannelHandle> arrive() NIO_REQUIRES(onDispatcher) {
                const struct Arrived {  // a callback may end the thread
                    Registry& registry;
                    bool counts;
                    ~Arrived() { registry.expectConnection(counts, -1); }
                } arrived{thread->registry_, handler->countsAsConnection()};
                return thread->registerChannelNow(std::move(handler), interest);
            }
        };
        if (handler->channel().isRegistered()) return Errc::alreadyRegistered;
        const bool counts = handler->countsAsConnection();
        registry_.expectConnection(counts, +1);
        Register task{this, std::move(handler), interest, std::move(onError)};
        const Result<void> posted = queue_->pushOrRefuse(std::move(task), TaskQueue::Post::limited);
        if (posted) return {};
        registry_.expectConnection(counts, -1);
        handler = std::move(task.handler);
        return posted.error();
    }
}

template <class F>
bool SelectorThread::invokeLater(ChannelHandle handle, F&& task) {
    static_assert(std::invocable<F, SelectorHandler&>,
                  "a task for a ChannelHandle takes nio::SelectorHandler&; "
                  "invokeLater of a pipeline's handle() takes one with auto& peer");
    if constexpr (std::invocable<F, SelectorHandler&>) {
        SelectorThread& home = handle.dispatcherOr(*this);
        auto make = [&] {
            return Task([&home, handle, task = std::forward<F>(task)]() mutable {
                onDispatcher.assertCurrent();
                if (SelectorHandler* here = home.findNow(handle))
                    return static_cast<void>(task(*here));
                home.moves_.places().forward(
                    handle, [task = std::move(task)](SelectorThread& thread,
                                                     SelectorHandler* found) mutable {
                        onDispatcher.assertCurrent();
                        found != nullptr ? static_cast<void>(task(*found))
                                         : thread.moves_.countDropped();
                    });
            });
        };
        return home.queue_->push(TaskMadeWhenTaken<decltype(make)&>{make}).ok();
    }
    return false;
}

template <std::invocable F>
Result<std::invoke_result_t<F&>> SelectorThread::invokeAndWait(F&& task, const WaitLimits& limits) {
    using R = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<R>) {
        return life_.runAndWait([&task] { task(); }, limits);
    } else {
        std::optional<R> value;
        const Result<void> ran = life_.runAndWait([&] { value.emplace(task()); }, limits);
        if (!ran) return ran.error();
        return std::move(*value);
    }
}

}  // namespace nio
