#include <nio/loop/SelectorThread.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <nio/base/Log.h>
#include <nio/channel/ChannelIo.h>
#include <nio/sys/Signals.h>

namespace nio {

namespace {

// The watchdog needs the newest.
std::size_t recordsOf(const SelectorThreadOptions& options) {
    const bool watched = options.stallLimit.count() > 0;
    return std::max<std::size_t>(options.flightRecords, watched ? 1 : 0);
}

SelectorThreadOptions checked(SelectorThreadOptions options) {
    if (options.maxTasksPerTurn == 0) {
        Error(std::errc::invalid_argument, "maxTasksPerTurn").raise();
    }
    return options;
}

Result<std::unique_ptr<Selector>> open(const SelectorThreadOptions& options) {
    return options.openSelector ? options.openSelector() : Selector::open(options.selector);
}

// As Registration::callee, but inline: every event is recorded.
inline FlightRecorder::Callee calleeOf(const Registration& registration) {
    const SelectorHandler& handler = registration.handler();
    return {registration.slot, registration.channel().fd(), &typeid(handler)};
}

// Everything but handleRead. Out of line, so that the path of a read stays short.
[[gnu::noinline]] NIO_REQUIRES(onDispatcher) void callOther(Registration& registration,
                                                            Interest ready, TurnObserver& observer,
                                                            const char*& callback) {
    const auto begins = [&](const char* name) {
        callback = name;
        observer.callbackBegins(registration.callee(), name);
    };
    if (registration.isBroken()) {
        begins("dispatch");
        throw std::system_error(std::make_error_code(std::errc::io_error), "epoll_ctl");
    }
    if (!any(ready)) return;
    switch (registration.kind()) {
        case Registration::Kind::accept:
            begins("handleAccept");
            return registration.acceptHandler().handleAccept();
        case Registration::Kind::connect:
            begins("handleConnect");
            return registration.connectHandler().handleConnect();
        case Registration::Kind::readWrite: return registration.callRest(ready, begins);
    }
}

// `callback` says at any time which one is running. A callback may close the channel, or put
// another handler in its place: the old one is not called again.
NIO_REQUIRES(onDispatcher)
void callReady(Registration& registration, TurnObserver& observer, const char*& callback) {
    const Interest ready = registration.ready();
    const bool reads = any(ready & Interest::read) &&
                       registration.kind() == Registration::Kind::readWrite &&
                       !registration.isBroken();
    if (!reads) return callOther(registration, ready, observer, callback);
    SelectorHandler& called = registration.handler();
    callback = "handleRead";
    observer.callbackBegins(calleeOf(registration), callback);
    registration.readWriteHandler().handleRead();
    const Interest rest = ready - Interest::read;
    if (!any(rest)) return;
    const bool stillServes = registration.isValid() && &registration.handler() == &called;
    if (stillServes) callOther(registration, rest, observer, callback);
}

using InterestChange = void (SelectorThread::*)(SelectableChannel&, Interest);

bool changeInterestLater(SelectorThread& home, ChannelHandle handle, InterestChange change,
                         Interest interest, CallbackErrorHandler onError) {
    auto changeIt = [change, interest, onError = std::move(onError)](
                        SelectorThread& thread, SelectorHandler* handler) mutable {
        if (handler != nullptr) return (thread.*change)(handler->channel(), interest);
        if (onError) onError(Errc::notRegistered);
    };
    return home.invokeLater([&home, handle, changeIt = std::move(changeIt)]() mutable {
        onDispatcher.assertCurrent();
        SelectorHandler* here = home.findNow(handle);
        here != nullptr ? changeIt(home, here)
                        : home.moves().places().forward(handle, std::move(changeIt));
    });
}

}  // namespace

SelectorThread::SelectorThread(SelectorThreadOptions options)
    : options_(checked(std::move(options))),
      identity_(options_.name, this),
      selector_(open(options_).orThrow()),
      queue_(std::make_shared<TaskQueue>(selector_->wakeUp(), options_.maxQueuedTasks)),
      idle_(*selector_, *queue_, WaitPolicy(options_.spin, options_.moderation)),
      observer_(name(), recordsOf(options_), selector_->io().counters(), options_.stallLimit,
                options_.onStall),
      idleTimeouts_(identity_, deadlines_, [this](SelectorHandler& idle) {
          onDispatcher.assertCurrent();
          Registration* registration = registry_.of(idle.channel(), "handleIdle");
          if (registration == nullptr) return;
          barrier_.tell(*registration, "handleIdle", &SelectorHandler::handleIdle);
      }) {}

// The turn on the stack would go on with an object that is gone; exit() comes here for a static
// one.
SelectorThread::~SelectorThread() {
    if (isCurrent()) {
        log(LogLevel::error,
            "dispatcher '" + name() +
                "' is destroyed inside one of its own turns (by exit() or delete in a callback?): "
                "call requestClose() there, and end or destroy it on another thread; for an end "
                "without destructors call _exit()");
        std::abort();
    }
    if (life_.isLeftBehind()) {
        // The task that it was at is half done: it never ends here either.
        [[maybe_unused]] const auto* const tasks = new std::shared_ptr<TaskQueue>(queue_);
        life_.leaveThread();
        return;
    }
    requestClose(DrainOptions::atOnce());
    join();
    while (turn(std::chrono::nanoseconds::zero())) {
    }
}

// --- life -----------------------------------------------------------------------------------

void SelectorThread::run() {
    const Watchdog::Duty duty(observer_.watch());
    const kernel::CrashStack crashStack;
    if (options_.moderation.count() > 0) kernel::makeWaitsPrecise();
    const DispatcherLife::Run runs(life_);
    const DispatcherLife::Turn turns(life_);
    onDispatcher.assumeCurrent();
    if (options_.idleStop) return runUntilIdle(*options_.idleStop);
    while (makeTurn(std::nullopt)) {  // after a failure later: there may be memory again
        if (barrier_.hasTurnFailed()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

// Tasks are no connections, but who is given one is not idle.
void SelectorThread::runUntilIdle(std::chrono::milliseconds limit) {
    const auto hasWork = [this] {
        onDispatcher.assertCurrent();
        const std::optional<TimePoint> next = deadlines_.earliest();
        return queue_->hasWork() || registry_.hasWork() || (next && *next <= Clock::now());
    };
    TimePoint idleSince;
    bool isIdle = false;
    std::uint64_t tasksRun = 0;
    for (;;) {
        const bool wasIdle = std::exchange(isIdle, false);
        const std::uint64_t ranBefore = std::exchange(tasksRun, queue_->tasksRun());
        // What ends without an event, a task or a deadline say, is looked at before the next sleep;
        // a channel that closes is buried, and no select sleeps before that.
        kernel::WaitTime wait;
        if (hasWork()) {
            wait = Clock::duration::zero();
        } else if (registry_.table().anyIsHere() || draining_.options() || moves_.hasErrands() ||
                   questions_.size() > 0) {
            wait = std::nullopt;
        } else if (connectionCount() > 0) {  // about to be posted
            wait = std::chrono::milliseconds(1);
        } else if (const std::optional<TimePoint> next = deadlines_.earliest()) {
            wait = Clock::until(*next);
        } else {
            if (!wasIdle || tasksRun != ranBefore) idleSince = Clock::now();
            isIdle = true;
            wait = Clock::until(idleSince + Clock::bounded(limit));
            const bool isOver = *wait <= Clock::duration::zero();
            if (isOver && life_.maySleepWithoutThread()) return;
        }
        if (!makeTurn(wait)) return;
        if (barrier_.hasTurnFailed()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void SelectorThread::start() {
    auto run = [this] {
        if (options_.threadStarted) options_.threadStarted();
        this->run();
    };
    if (!options_.idleStop && !options_.lazyStart) return life_.start(std::move(run));
    life_.startOnDemand(std::move(run), options_.lazyStart);
}

void SelectorThread::requestClose(const DrainOptions& options) {
    if (life_.isLeftBehind()) return;
    life_.closeRequested();
    draining_.request(options);
}

bool SelectorThread::turn(kernel::WaitTime wait) {
    if (isStopped()) return false;
    const DispatcherLife::Turn turn(life_);
    onDispatcher.assumeCurrent();
    return makeTurn(wait);
}

bool SelectorThread::makeTurn(kernel::WaitTime wait) {
    if (isStopped()) return false;
    // A forced unwind comes past here and nowhere else. What comes after it on this thread is the
    // program's.
    struct Unwound {
        SelectorThread* thread;
        ~Unwound() {
            if (thread == nullptr) return;
            onDispatcher.assertCurrent();
            thread->barrier_.tellThreadEnds();
            thread->finish();
        }
    } unwound{this};
    bool goesOn = false;
    guarded(
        [&] {
            onDispatcher.assumeCurrent();
            registry_.goOnAfterFork();
            runTasks();
            goesOn = !closeIfDue();
            if (goesOn) {
                dispatch(select(wait));
                flush();
                if (registry_.hasGraves() || moves_.hasErrands()) bury();
                if (!life_.runs()) selector_->handOver().orThrow();
            }
            barrier_.turnSucceeded();
        },
        [&](const std::exception_ptr& thrown) {
            onDispatcher.assertCurrent();
            if (barrier_.turnFailed(thrown)) finish();
            goesOn = !isStopped();
        });
    unwound.thread = nullptr;
    return goesOn;
}

// --- the steps of a turn --------------------------------------------------------------------

// Of the deadlines, one that sets itself to a time that is over waits for the next turn.
void SelectorThread::runTasks() {
    if (!life_.runs()) observer_.resumes();
    if (queue_->hasWork()) {
        observer_.tasksBegin(queue_->depth());
        queue_->runBatch(options_.maxTasksPerTurn, [this](PostedTask& task) {
            onDispatcher.assertCurrent();
            barrier_.run(task);
        });
        observer_.tasksEnd();
    }
    if (deadlines_.earliest()) {
        const TimePoint now = Clock::now();
        for (std::size_t left = deadlines_.size(); left > 0; --left) {
            Deadline* due = deadlines_.takeDue(now);
            if (due == nullptr) break;
            barrier_.expire(*due);
        }
    }
    if (memory_.isDue()) registry_.relieveMemory();
}

bool SelectorThread::closeIfDue() {
    draining_.beginIfRequested();
    const bool isDue = draining_.isOver();
    if (isDue) finish();
    return isDue;
}

// A handler closed by a task or a deadline is buried in this turn, not when the next event comes.
kernel::WaitTime untilDue(SelectorThread& dispatcher, kernel::WaitTime wait) {
    if (dispatcher.registry().hasWork()) return std::chrono::nanoseconds::zero();
    std::optional<TimePoint> next = dispatcher.deadlines().earliest();
    const auto notAfter = [&next](TimePoint time) { next = std::min(next.value_or(time), time); };
    if (const auto end = dispatcher.draining().deadline()) notAfter(*end);
    ChannelMoves& moves = dispatcher.moves();
    if (moves.hasErrands()) notAfter(moves.nextTry());
    if (!next) return wait;
    const Clock::duration left = Clock::until(*next);
    return wait ? std::min(*wait, left) : left;
}

std::span<SelectionKey* const> SelectorThread::select(kernel::WaitTime wait) {
    wait = untilDue(*this, wait);
    observer_.selectBegins();
    auto selected = idle_.select(wait);
    observer_.selectEnds(selected ? selected.value().size() : 0);
    return std::move(selected).orThrow();
}

void SelectorThread::dispatch(std::span<SelectionKey* const> selected) {
    registry_.revisit([this](Registration& registration) {
        onDispatcher.assumeCurrent();
        barrier_.call(registration, "handleRevisit", &SelectorHandler::handleRevisit);
        if (memory_.isDue()) registry_.relieveMemory();
    });
    const std::size_t count = selected.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + 2 < count) prefetch(selected[i + 2], sizeof(Registration));
        if (i + 1 < count) static_cast<Registration*>(selected[i + 1])->prefetchHandler();
        if (!selected[i]->isValid()) continue;
        auto& registration = static_cast<Registration&>(*selected[i]);
        // Leaving: pending events are redelivered on the target.
        if (registration.travels && moves_.isLeaving(registration)) continue;
        registration.takeReadyOutOfInterest();
        const char* callback = "dispatch";
        barrier_.guard(registration, callback, [&] {
            onDispatcher.assumeCurrent();
            callReady(registration, observer_, callback);
        });
        if (registration.isValid()) registration.reconsider();
        observer_.callbackEnds();
        if (memory_.isDue()) registry_.relieveMemory();
    }
}

void SelectorThread::flush() {
    registry_.flush([this](Registration& registration) {
        onDispatcher.assumeCurrent();
        barrier_.call(registration, "handleFlush", &SelectorHandler::handleFlush);
        if (memory_.isDue()) registry_.relieveMemory();
    });
}

void SelectorThread::bury() {
    if (moves_.hasErrands()) {
        observer_.burialBegins();
        moves_.askAgain();
    }
    if (!registry_.hasGraves()) return;
    observer_.burialBegins();
    registry_.bury();
    observer_.burialEnds();
}

void SelectorThread::finish() {
    draining_.finish();
    memory_.retire();
    bury();
    questions_.drop();
    idleTimeouts_.clear();
    deadlines_.clear();
    life_.stop();
}

// --- what others ask for --------------------------------------------------------------------

bool SelectorThread::addChannelInterestLater(ChannelHandle handle, Interest added,
                                             CallbackErrorHandler onError) {
    return changeInterestLater(handle.dispatcherOr(*this), handle,
                               &SelectorThread::addChannelInterestNow, added, std::move(onError));
}

bool SelectorThread::removeChannelInterestLater(ChannelHandle handle, Interest removed,
                                                CallbackErrorHandler onError) {
    return changeInterestLater(handle.dispatcherOr(*this), handle,
                               &SelectorThread::removeChannelInterestNow, removed,
                               std::move(onError));
}

void SelectorThread::countBuffered(SelectableChannel& channel, std::size_t bytes, bool evictFirst) {
    Registration* registration = registry_.of(channel, "countBuffered");
    if (registration != nullptr) memory_.set(registration->slot, bytes, evictFirst);
}

DispatcherMetrics SelectorThread::metrics() const {
    DispatcherMetrics now;
    now.dispatcher = name();
    observer_.meter().read(now);
    now.tasks = queue_->tasksRun();
    now.tasksWaiting = queue_->depth();
    now.taskDelays = queue_->delays().read();
    now.taskDelay = std::chrono::nanoseconds(queue_->delaySum());
    now.tasksDropped = moves_.droppedTasks();
    now.deadlines = deadlines_.published();
    now.connections = connectionCount();
    const IoCounters& io = selector_->io().counters();
    now.accepts = io.accepts.read();
    now.bytesIn = io.bytesIn.read();
    now.bytesOut = io.bytesOut.read();
    now.receivesInVain = io.receivesInVain.read();
    now.sendsHeldUp = io.sendsHeldUp.read();
    now.bufferedBytes = memory_.bytes();
    return now;
}

}  // namespace nio
