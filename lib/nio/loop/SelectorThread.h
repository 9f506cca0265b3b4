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
// process gets selectors of its own. After start() it is too late, see isLeftBehind().
// Errors: the constructor throws std::system_error. A callback that ends its thread (pthread_exit)
// ends the dispatcher: its connections are closed, its other tasks run, invokeAndWait returns
// threadEnded to the caller that waits for that task, onGivingUp is called, and join() returns.
// Source: ONJava article 2004, SelectorThread.
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include <nio/loop/ChannelHandle.h>
#include <nio/loop/ChannelMoves.h>
#include <nio/loop/Drain.h>
#include <nio/loop/ExceptionBarrier.h>
#include <nio/loop/IdleWait.h>
#include <nio/loop/Registry.h>
#include <nio/loop/SelectorHandlers.h>
#include <nio/loop/SelectorThreadOptions.h>
#include <nio/memory/MemoryAccount.h>
#include <nio/observe/FlightDump.h>
#include <nio/observe/TurnMeter.h>
#include <nio/observe/Watchdog.h>
#include <nio/sys/Process.h>
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
    SelectorThread(const SelectorThread&) = delete;
    SelectorThread& operator=(const SelectorThread&) = delete;
    ~SelectorThread();

    // --- life: Thread: any, unless it says otherwise ----------------------------------------

    // Makes turns on the calling thread until closed.
    void run();
    // Makes turns on a thread of its own. At most once.
    void start();
    // Makes one turn that waits at most so long (absent: without end). False: it has stopped.
    // Throws std::logic_error inside one of its own turns, or while another thread makes one.
    [[gnu::hot]] bool turn(kernel::WaitTime wait);

    // Asks for an orderly end, see Drain.h. May be called again: the earlier deadline counts. Never
    // fails: without memory for its task it begins ahead of the tasks that wait.
    void requestClose(const DrainOptions& options = {});
    // Closes the listeners only: they accept what waits and go. Returns at once; `closed` runs on
    // the dispatcher when it has happened (one that asks to be revisited for that is waited for,
    // but no longer than the deadline), or at once on this thread when the dispatcher has stopped,
    // or has no memory for the task. Throws bad_alloc, and has done nothing then.
    void closeListenersLater(Task closed, const DrainOptions& options = {});
    // Begins to drain at that time, unless it does before: then it is as requestClose() at that
    // time. The earliest call counts. Without memory at once. Thread: the dispatcher's own.
    void drainByNow(TimePoint when, const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    // Waits for the thread that start() made, after requestClose(). Not on a dispatcher. Throws
    // std::logic_error in one of its own turns, and where isLeftBehind().
    void join();
    // start() has been called: its thread makes the turns.
    bool hasThread() const { return startedAt_.load(std::memory_order_relaxed) != neverStarted; }
    // This process was forked from one in which start() had been called: the thread is not here.
    // All that is left to do with this object is to destroy it, which ends nothing then.
    bool isLeftBehind() const {
        return hasThread() && startedAt_.load(std::memory_order_relaxed) != kernel::forkCount();
    }
    bool isStopped() const { return state_.load(std::memory_order_acquire) == State::stopped; }
    // What the drain came to. Once stopped.
    const DrainReport& drainReport() const { return report_; }

    const std::string& name() const { return identity_.name(); }
    std::string_view selectorName() const { return selector_->name(); }
    const DispatcherIdentity& identity() const { return identity_; }
    bool isCurrent() const { return identity_.isCurrent(); }

    // Connections (read/write handlers) registered or on their way here by registerChannelLater.
    std::size_t connectionCount() const { return connections_.load(std::memory_order_relaxed); }
    // Until it begins to drain. What comes after that is ended soon, or refused.
    bool takesConnections() const { return queue_->takesConnections(); }

    // CPU time of the thread in run() or start(), without busy-polling; zero before and after.
    std::chrono::nanoseconds busyTime() const;
    // What it has counted so far. No lock: at any time, also of one that hangs.
    DispatcherMetrics metrics() const;

    // --- invocations: Thread: any -----------------------------------------------------------
    // Without memory for what is posted these, and all ...Later calls below that do not say
    // otherwise, throw std::bad_alloc, and have done nothing.

    // Runs `task` in this dispatcher's turn, in the order of each thread's calls. Always queues,
    // also on its own thread; a dispatcher that is destroyed before it ever ran runs its tasks in
    // its destructor. False: stopped or full; `task` is untouched.
    template <class F>
    [[nodiscard]] bool invokeLater(F&& task) {
        static_assert(std::invocable<F>, "a task takes no arguments");
        if constexpr (std::invocable<F>) return queue_->push(std::forward<F>(task)).ok();
        return false;
    }
    // The same for one channel: `task(handler)` runs if the channel is still registered then, else
    // it is dropped and counted. Goes by way of the handle's dispatcher, whichever is called, and
    // follows a channel that has moved; where there is no memory for that on the way, it has failed
    // (onFailure).
    template <class F>
    [[nodiscard]] bool invokeLater(ChannelHandle handle, F&& task);

    // Runs `task` in this dispatcher's turn and gives back what it returned; an exception from it
    // comes out here. On its own thread it runs in place. threadEnded: see above. Refused, without
    // a wait: stopped, notStarted, queueFull, waitCycle (this dispatcher waits, maybe by others,
    // for the caller's; or the caller is the one who makes its turns by hand).
    template <std::invocable F>
    Result<std::invoke_result_t<F&>> invokeAndWait(F&& task);

    // Tasks for handles whose channel was closed meanwhile.
    std::size_t droppedTasks() const { return dropped_.load(std::memory_order_relaxed); }
    std::size_t queuedTasks() const { return queue_->size(); }

    // --- channels ---------------------------------------------------------------------------

    // Registers handler->channel() and takes the handler over. The overloads say for what: accept,
    // connect, or reading and writing. A channel that is registered here already gets this handler
    // instead of its old one, which ends with the turn. On an error the handler stays with the
    // caller: stopped, alreadyRegistered (elsewhere), bad_file_descriptor (closed),
    // invalid_argument (an interest that the handler's interface does not serve), or the kernel's
    // reason.
    // Thread: the dispatcher's own.
    template <class H>
    Result<ChannelHandle> registerChannelNow(std::unique_ptr<H>&& handler, Interest interest)
        NIO_REQUIRES(onDispatcher);
    // Thread: any. False: stopped, full or out of memory, or the channel is registered already
    // (here: see registerChannelNow; elsewhere: moveChannelNow); the handler stays with the caller.
    // Later errors go to onError, and the handler is destroyed.
    template <class H>
    [[nodiscard]] bool registerChannelLater(std::unique_ptr<H>&& handler, Interest interest,
                                            CallbackErrorHandler onError = {});

    // Nothing happens to a channel that is closed. Thread: the dispatcher's own.
    void addChannelInterestNow(SelectableChannel& channel, Interest added)
        NIO_REQUIRES(onDispatcher) {
        Registration* key = registrationOf(channel, "addChannelInterestNow");
        if (key == nullptr) return;
        if (Interest* there = interestThere(*key))
            return static_cast<void>(*there = *there | added);
        key->addInterest(added);
    }
    void removeChannelInterestNow(SelectableChannel& channel, Interest removed)
        NIO_REQUIRES(onDispatcher) {
        Registration* key = registrationOf(channel, "removeChannelInterestNow");
        if (key == nullptr) return;
        if (Interest* there = interestThere(*key)) {
            return static_cast<void>(*there = *there - removed);
        }
        key->removeInterest(removed);
    }
    void setChannelInterestNow(SelectableChannel& channel, Interest interest)
        NIO_REQUIRES(onDispatcher) {
        Registration* key = registrationOf(channel, "setChannelInterestNow");
        if (key == nullptr) return;
        if (Interest* there = interestThere(*key)) return static_cast<void>(*there = interest);
        key->setInterest(interest);
    }
    // Thread: any. False: stopped or full. notRegistered goes to onError when the channel is gone.
    [[nodiscard]] bool addChannelInterestLater(ChannelHandle handle, Interest added,
                                               CallbackErrorHandler onError = {});
    [[nodiscard]] bool removeChannelInterestLater(ChannelHandle handle, Interest removed,
                                                  CallbackErrorHandler onError = {});

    // The handler of a channel that is registered here now, else null. Thread: the dispatcher's
    // own.
    SelectorHandler* findNow(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // Nobody's handle if the channel is not registered here; of one that is being closed only in
    // its handleClosed. Thread: the dispatcher's own.
    ChannelHandle handleOf(SelectableChannel& channel) NIO_REQUIRES(onDispatcher);

    // Moves the channel, with its handler and all bytes that the two hold, to `target`, where it
    // keeps its interest and its handle: see SelectorHandlers.h. Not inside this call: in the tasks
    // of the next turn at the latest, when no callback of it runs. On `target` already: nothing
    // happens. Refused: notRegistered, notMovable, stopped (this dispatcher or `target` drains or
    // has stopped, the channel's home has stopped; the channel stays). What happens after that goes
    // to onError, on whichever dispatcher finds it out: the same, or handlerFailed (an exception
    // from leaving() or arrived()). Thread: the dispatcher's own.
    Result<void> moveChannelNow(SelectableChannel& channel, SelectorThread& target,
                                CallbackErrorHandler onError = {}) NIO_REQUIRES(onDispatcher);
    // Thread: any. False: stopped or full. All errors go to onError.
    [[nodiscard]] bool moveChannelLater(ChannelHandle handle, SelectorThread& target,
                                        CallbackErrorHandler onError = {});

    // --- for handlers: Thread: the dispatcher's own -----------------------------------------

    // Calls handleFlush() once in this turn's flush (or the next one's, when that is over).
    void flushLater(SelectableChannel& channel) NIO_REQUIRES(onDispatcher);
    // Calls handleRevisit() where the next dispatch begins; no select sleeps before that.
    void revisitLater(SelectableChannel& channel) NIO_REQUIRES(onDispatcher);
    // Where a Deadline of this dispatcher is kept.
    DeadlineQueue& deadlines() { return deadlines_; }
    // Calls handleIdle() of handlers that are idle for too long.
    IdleTimeouts& idleTimeouts() { return idleTimeouts_; }
    // What it holds in buffers, until it says otherwise, closes or moves. `evictFirst`: it goes
    // before those that are not marked so when the memory budget is used up.
    void countBuffered(SelectableChannel& channel, std::size_t bytes, bool evictFirst = false)
        NIO_REQUIRES(onDispatcher);
    // What all of its channels hold, and what the memory budget asks for.
    MemoryAccount& memory() NIO_REQUIRES(onDispatcher) {
        identity_.assertCurrent("memory");
        return memory_;
    }
    // The drain under way, if there is one.
    const std::optional<DrainOptions>& drain() const NIO_REQUIRES(onDispatcher) {
        identity_.assertCurrent("drain");
        return drain_;
    }

    // --- for the library --------------------------------------------------------------------

    // Posts that outlive this dispatcher; they are refused once it has stopped.
    const std::shared_ptr<TaskQueue>& queue() const { return queue_; }
    void ended(Registration& registration) NIO_REQUIRES(onDispatcher);
    // How often each channel was found ready since the last call: for the Rebalancer.
    struct Activity {
        SelectableChannel* channel;
        std::uint32_t timesReady;
        bool isMovable;
    };
    std::vector<Activity> takeActivities() NIO_REQUIRES(onDispatcher);
    ChannelMoves& moves() NIO_REQUIRES(onDispatcher) { return moves_; }
    TurnMeter& meter() NIO_REQUIRES(onDispatcher) { return meter_; }
    FlightRecorder& recorder() NIO_REQUIRES(onDispatcher) { return recorder_; }

  private:
    friend class RegistrationBatch;
    friend class ChannelMoves;
    enum class State { fresh, running, stopped };
    template <class H>
    struct RegisterTask;

    // The steps of a turn.
    void runTasks() NIO_REQUIRES(onDispatcher);
    void runDeadlines() NIO_REQUIRES(onDispatcher);
    bool closeIfDue() NIO_REQUIRES(onDispatcher);
    std::span<SelectionKey* const> select(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] void dispatch(std::span<SelectionKey* const> selected) NIO_REQUIRES(onDispatcher);
    void flush() NIO_REQUIRES(onDispatcher);
    bool hasGraves() const NIO_REQUIRES(onDispatcher) {
        return graves_ != nullptr || !replaced_.empty();
    }
    void bury() NIO_REQUIRES(onDispatcher);

    struct MemoryRelief;
    [[gnu::cold]] void relieveMemory() NIO_REQUIRES(onDispatcher);
    [[gnu::hot]] bool makeTurn(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    [[gnu::cold]] void goOnAfterFork() NIO_REQUIRES(onDispatcher);
    kernel::WaitTime shortened(kernel::WaitTime wait) NIO_REQUIRES(onDispatcher);
    void dispatchOne(Registration& registration) NIO_REQUIRES(onDispatcher);
    void callReady(Registration& registration, const char*& callback) NIO_REQUIRES(onDispatcher);
    void revisit() NIO_REQUIRES(onDispatcher);
    void tell(Registration& registration, const char* name, void (SelectorHandler::*callback)())
        NIO_REQUIRES(onDispatcher);
    // A Task or a PostedTask.
    template <class T>
    void runTask(T& task) NIO_REQUIRES(onDispatcher) {
        recorder_.taskBegins();
        guarded(task, [this](const std::exception_ptr& thrown) {
            barrier_.report("task", "invokeLater", thrown);
        });
    }

    void deliverIdle(SelectorHandler& handler) NIO_REQUIRES(onDispatcher);

    void beginDrain(const DrainOptions& options) NIO_REQUIRES(onDispatcher);
    void closeListenersBy(TimePoint end, std::shared_ptr<Task> closed);
    bool closeListeners() NIO_REQUIRES(onDispatcher);
    void finish() NIO_REQUIRES(onDispatcher);
    void abortAll() NIO_REQUIRES(onDispatcher);

    void loopFailed(const std::exception_ptr& thrown) NIO_REQUIRES(onDispatcher);
    void threadEnds() NIO_REQUIRES(onDispatcher);

    Result<ChannelHandle> adopt(Registration::Served served, Interest interest)
        NIO_REQUIRES(onDispatcher);
    Result<ChannelHandle> replace(Registration& registration, Registration::Served served,
                                  Interest interest) NIO_REQUIRES(onDispatcher);
    Result<ChannelHandle> welcome(Registration& registration) NIO_REQUIRES(onDispatcher);
    // `slot`: the one that it has left before.
    Result<Registration*> enter(Registration::Served served, Interest interest,
                                std::optional<std::uint32_t> slot = {}) NIO_REQUIRES(onDispatcher);
    void takeOver(SelectorHandler& handler) { handler.dispatcher_ = this; }
    void countDropped() { dropped_.fetch_add(1, std::memory_order_relaxed); }
    void countConnection(bool counts, int by);
    void countAwaited(const SelectorHandler& handler, int by) NIO_REQUIRES(onDispatcher) {
        if (handler.holdsUpDrain()) awaited_ += static_cast<std::size_t>(by);
    }

    using InterestChange = void (SelectorThread::*)(SelectableChannel&, Interest);
    // Where posts by this handle go first.
    SelectorThread& homeOf(ChannelHandle handle) {
        return handle.dispatcher() == nullptr ? *this : *handle.dispatcher();
    }
    bool changeInterestLater(ChannelHandle handle, InterestChange change, Interest interest,
                             CallbackErrorHandler onError);
    Registration* registrationOf(SelectableChannel& channel, const char* call) const
        NIO_REQUIRES(onDispatcher) {
        identity_.assertCurrent(call);
        ChannelRegistration* registration = channel.registration();
        if (registration != nullptr) registration->owner().assertCurrent(call);
        return static_cast<Registration*>(registration);
    }
    // What one that waits to leave will be watched for where it goes. Null: it does not leave.
    Interest* interestThere(Registration& registration) NIO_REQUIRES(onDispatcher) {
        return registration.travels ? moves_.interestThere(registration) : nullptr;
    }

    Result<void> runAndWait(Task task);
    ChannelHandle handleOf(const Registration& registration) NIO_REQUIRES(onDispatcher);

    struct Closing {
        const SelectableChannel* channel;
        ChannelHandle handle;
        const Closing* outer;
    };

    const SelectorThreadOptions options_;
    const DispatcherIdentity identity_;
    ExceptionBarrier barrier_;
    const std::unique_ptr<Selector> selector_;
    const SelectionKey::Context context_{{identity_, selector_->io()}, *selector_};
    const std::shared_ptr<TaskQueue> queue_;
    IdleWait idle_;
    std::atomic<State> state_{State::fresh};
    std::atomic<bool> turning_{false};
    std::uint32_t forks_ NIO_GUARDED_BY(onDispatcher) = kernel::forkCount();
    static constexpr std::uint32_t neverStarted = UINT32_MAX;
    std::atomic<std::uint32_t> startedAt_{neverStarted};  // the fork count then
    std::atomic<std::thread::id> lastTurnBy_{};
    std::atomic<int> busyClock_{kernel::noCpuClock};
    std::atomic<std::size_t> connections_{0};
    std::atomic<std::size_t> dropped_{0};
    CloseRequest closeRequest_;
    std::thread thread_;
    std::mutex joining_;

    FlightRecorder recorder_;
    const FlightDump::Member dumped_{recorder_, name()};
    Watchdog::Watch watch_;
    TurnMeter meter_;
    DeadlineQueue deadlines_{identity_};
    std::optional<Deadline> drainBy_ NIO_GUARDED_BY(onDispatcher);
    TimePoint drainByTime_ NIO_GUARDED_BY(onDispatcher){};
    MemoryAccount memory_{name(), deadlines_, queue_, options_.memoryBudget};
    IdleTimeouts idleTimeouts_{identity_, deadlines_, [this](SelectorHandler& idle) {
                                   onDispatcher.assertCurrent();
                                   deliverIdle(idle);
                               }};
    Registry registry_ NIO_GUARDED_BY(onDispatcher);
    ChannelMoves moves_ NIO_GUARDED_BY(onDispatcher){*this};
    VisitList flush_ NIO_GUARDED_BY(onDispatcher){&Registration::flushQueued};
    VisitList revisit_ NIO_GUARDED_BY(onDispatcher){&Registration::revisitQueued};
    Registration* graves_ NIO_GUARDED_BY(onDispatcher) = nullptr;
    // Those whose handlers hear of it at this moment, the last one first.
    const Closing* closing_ NIO_GUARDED_BY(onDispatcher) = nullptr;
    std::vector<std::unique_ptr<SelectorHandler>> replaced_ NIO_GUARDED_BY(onDispatcher);
    std::optional<DrainOptions> drain_ NIO_GUARDED_BY(onDispatcher);
    TimePoint drainEnd_ NIO_GUARDED_BY(onDispatcher){};
    std::size_t awaited_ NIO_GUARDED_BY(onDispatcher) = 0;  // those that hold up a drain
    bool closed_ NIO_GUARDED_BY(onDispatcher) = false;      // nothing can be registered any more
    bool runs_ = false;  // one turn follows the other: nobody waits elsewhere in between
    std::size_t loopFailures_ = 0;
    DrainReport report_;
};

}  // namespace nio

#include <nio/loop/SelectorThreadPosts.h>
