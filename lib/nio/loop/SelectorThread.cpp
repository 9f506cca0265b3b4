#include <nio/loop/SelectorThread.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <nio/base/Log.h>
#include <nio/channel/ChannelIo.h>
#include <nio/sys/Signals.h>
#include <nio/tasks/Invocation.h>
#include <nio/tasks/WaitGraph.h>

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

// As Registration::callee, but inline: every event is recorded.
FlightRecorder::Callee calleeOf(const Registration& registration) {
    const SelectorHandler& handler = registration.handler();
    return {registration.slot, registration.channel().fd(), &typeid(handler)};
}

}  // namespace

SelectorThread::SelectorThread(SelectorThreadOptions options)
    : options_(checked(std::move(options))),
      identity_(options_.name),
      barrier_(identity_.name(), options_, recorder_),
      selector_(
          (options_.openSelector ? options_.openSelector() : Selector::open(options_.selector))
              .orThrow()),
      queue_(std::make_shared<TaskQueue>(selector_->wakeUp(), options_.maxQueuedTasks)),
      idle_(*selector_, *queue_, options_.spin),
      recorder_(recordsOf(options_), selector_->io().counters()),
      watch_(recorder_, name(), options_.stallLimit, options_.onStall) {}

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
    if (isLeftBehind()) {
        // What the C library makes of a thread that a fork has left behind is not defined, and the
        // task that it was at is half done: neither ever ends here.
        [[maybe_unused]] const auto* const thread = new std::thread(std::move(thread_));
        [[maybe_unused]] const auto* const tasks = new std::shared_ptr<TaskQueue>(queue_);
        return;
    }
    requestClose(DrainOptions::atOnce());
    join();
    while (turn(std::chrono::nanoseconds::zero())) {
    }
}

// --- life -----------------------------------------------------------------------------------

void SelectorThread::run() {
    const Watchdog::Duty duty(watch_);
    const kernel::CrashStack crashStack;
    const struct Busy {
        explicit Busy(std::atomic<int>& shown) : clock(shown) {
            clock.store(kernel::threadCpuClock(), std::memory_order_relaxed);
        }
        ~Busy() { clock.store(kernel::noCpuClock, std::memory_order_relaxed); }
        std::atomic<int>& clock;
    } busy(busyClock_);
    runs_ = true;
    while (turn(std::nullopt)) {  // after a failure later: there may be memory again
        if (loopFailures_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void SelectorThread::start() {
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) throw std::logic_error("dispatcher '" + name() + "' started twice");
    lastTurnBy_.store({});
    startedAt_.store(kernel::forkCount());
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "a thread for dispatcher '" + name() + "'");
    }
    // Not before there is a thread: nobody may wait for one that could not be made.
    State fresh = State::fresh;
    state_.compare_exchange_strong(fresh, State::running);
}

void SelectorThread::join() {
    if (isLeftBehind()) {
        throw std::logic_error("dispatcher '" + name() +
                               "' was started before this process was forked: its thread is not "
                               "here; fork before start()");
    }
    if (isCurrent()) {
        throw std::logic_error("dispatcher '" + name() +
                               "' waits for itself: join() in its own turn");
    }
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
}

bool SelectorThread::turn(kernel::WaitTime wait) {
    if (isStopped()) return false;
    if (turning_.exchange(true, std::memory_order_acquire)) {
        throw std::logic_error("dispatcher '" + name() + "' is making a turn already");
    }
    struct Turned {
        std::atomic<bool>& turning;
        ~Turned() { turning.store(false, std::memory_order_release); }
    } turned{turning_};
    State fresh = State::fresh;
    if (state_.load(std::memory_order_relaxed) == fresh) {
        state_.compare_exchange_strong(fresh, State::running);
    }
    // Only the thread that wrote it takes it for its own.
    lastTurnBy_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    const DispatcherIdentity::Turn current(identity_);
    const WaitGraph::Edge nested(current.outer(), identity_);
    onDispatcher.assumeCurrent();
    // A forced unwind comes past here and nowhere else.
    struct Unwound {
        SelectorThread* thread;
        ~Unwound() {
            if (thread == nullptr) return;
            onDispatcher.assertCurrent();
            thread->threadEnds();
        }
    } unwound{this};
    bool goesOn = false;
    guarded(
        [&] {
            onDispatcher.assumeCurrent();
            goesOn = makeTurn(wait);
            loopFailures_ = 0;
        },
        [&](const std::exception_ptr& thrown) {
            onDispatcher.assertCurrent();
            loopFailed(thrown);
            goesOn = !isStopped();
        });
    unwound.thread = nullptr;
    return goesOn;
}

bool SelectorThread::makeTurn(kernel::WaitTime wait) {
    if (forks_ != kernel::forkCount()) [[unlikely]]
        goOnAfterFork();
    runTasks();
    if (memory_.isDue()) relieveMemory();
    if (closeIfDue()) return false;
    dispatch(select(wait));
    flush();
    if (hasGraves() || moves_.hasErrands()) bury();
    if (!runs_) selector_->handOver().orThrow();
    return true;
}

// What fails here is tried again in the next turn.
void SelectorThread::goOnAfterFork() {
    moves_.callBack();
    selector_->startOver().orThrow();
    registry_.visitAll([this](Registration& registration) {
        onDispatcher.assertCurrent();
        selector_->watchAgain(registration);
    });
    forks_ = kernel::forkCount();
}

// --- the steps of a turn --------------------------------------------------------------------

void SelectorThread::runTasks() {
    if (!runs_) meter_.goesOn();
    if (queue_->hasWork()) {
        recorder_.tasksBegin(queue_->depth(), meter_.last());
        queue_->runBatch(options_.maxTasksPerTurn, [this](PostedTask& task) {
            onDispatcher.assertCurrent();
            runTask(task);
        });
        meter_.tasksEnded();
    }
    runDeadlines();
}

// A deadline that sets itself to a time that is over waits for the next turn.
void SelectorThread::runDeadlines() {
    if (!deadlines_.earliest()) return;
    const TimePoint now = Clock::now();
    for (std::size_t left = deadlines_.size(); left > 0; --left) {
        Deadline* due = deadlines_.takeDue(now);
        if (due == nullptr) return;
        recorder_.begins(FlightRecorder::inDeadline, 0, 0, meter_.last());
        guarded(
            [&] {
                onDispatcher.assertCurrent();
                due->expire();
            },
            [this](const std::exception_ptr& thrown) {
                barrier_.report("deadline", "expire", thrown);
            });
        meter_.deadlineExpired();
    }
}

bool SelectorThread::closeIfDue() {
    if (closeRequest_.isThere()) [[unlikely]]
        beginDrain(closeRequest_.take());
    if (!drain_) return false;
    // What waits in the queue may be connections that were accepted a moment ago.
    const bool idle = awaited_ == 0 && !moves_.someoneIsAway() && !queue_->hasWork();
    const bool over = idle || Clock::now() >= drainEnd_;
    if (over) finish();
    return over;
}

std::span<SelectionKey* const> SelectorThread::select(kernel::WaitTime wait) {
    meter_.selects();
    recorder_.selects();
    auto selected = idle_.select(shortened(wait));
    const std::size_t events = selected ? selected.value().size() : 0;
    meter_.selected(events);
    recorder_.turns(events, meter_.last());
    watch_.turns();
    return std::move(selected).orThrow();
}

kernel::WaitTime SelectorThread::shortened(kernel::WaitTime wait) {
    // Who was closed by a task or a deadline is buried in this turn, not when the next event comes.
    if (hasGraves() || !revisit_.empty() || !flush_.empty())
        return std::chrono::nanoseconds::zero();
    std::optional<TimePoint> next = deadlines_.earliest();
    if (drain_) next = next ? std::min(*next, drainEnd_) : drainEnd_;
    if (moves_.hasErrands()) next = std::min(next.value_or(TimePoint::max()), moves_.nextTry());
    if (!next) return wait;
    const Clock::duration left = Clock::until(*next);
    return wait ? std::min(*wait, left) : left;
}

void SelectorThread::dispatch(std::span<SelectionKey* const> selected) {
    revisit();
    const std::size_t count = selected.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + 2 < count) prefetch(selected[i + 2], sizeof(Registration));
        if (i + 1 < count) static_cast<Registration*>(selected[i + 1])->prefetchHandler();
        if (selected[i]->isValid()) dispatchOne(static_cast<Registration&>(*selected[i]));
    }
}

void SelectorThread::dispatchOne(Registration& registration) {
    // What its engine has found meanwhile it hears of where it goes.
    if (registration.travels && moves_.isLeaving(registration)) return;
    registration.takeReadyOutOfInterest();
    const char* callback = "dispatch";
    barrier_.guard(registration, callback, [&] {
        onDispatcher.assumeCurrent();
        callReady(registration, callback);
    });
    if (registration.isValid()) registration.reconsider();
    meter_.callbackEnded();
    if (memory_.isDue()) relieveMemory();
}

// `callback` says at any time which one is running. A callback may close the channel, or put
// another handler in its place: the old one is not called again.
void SelectorThread::callReady(Registration& registration, const char*& callback) {
    if (registration.isBroken()) {
        recorder_.begins(calleeOf(registration), callback, meter_.last());
        throw std::system_error(std::make_error_code(std::errc::io_error), "epoll_ctl");
    }
    SelectorHandler& called = registration.handler();
    const Interest ready = registration.ready();
    if (!any(ready)) return;
    switch (registration.kind()) {
        case Registration::Kind::accept:
            callback = "handleAccept";
            recorder_.begins(calleeOf(registration), callback, meter_.last());
            return registration.acceptHandler().handleAccept();
        case Registration::Kind::connect:
            callback = "handleConnect";
            recorder_.begins(calleeOf(registration), callback, meter_.last());
            return registration.connectHandler().handleConnect();
        case Registration::Kind::readWrite: break;
    }
    if (any(ready & Interest::read)) {
        callback = "handleRead";
        recorder_.begins(calleeOf(registration), callback, meter_.last());
        registration.readWriteHandler().handleRead();
    }
    if (!any(ready & Interest::write)) return;
    const bool stillServes = registration.isValid() && &registration.handler() == &called;
    if (stillServes) {
        callback = "handleWrite";
        recorder_.begins(calleeOf(registration), callback, meter_.last());
        registration.readWriteHandler().handleWrite();
    }
}

void SelectorThread::tell(Registration& registration, const char* name,
                          void (SelectorHandler::*callback)()) {
    recorder_.begins(calleeOf(registration), name, meter_.last());
    barrier_.guard(registration, name, [&] { (registration.handler().*callback)(); });
    meter_.callbackEnded();
}

void SelectorThread::revisit() {
    revisit_.visitAll([this](Registration& registration) {
        onDispatcher.assumeCurrent();
        tell(registration, "handleRevisit", &SelectorHandler::handleRevisit);
        if (memory_.isDue()) relieveMemory();
    });
}

void SelectorThread::flush() {
    flush_.visitAll([this](Registration& registration) {
        onDispatcher.assumeCurrent();
        tell(registration, "handleFlush", &SelectorHandler::handleFlush);
        if (memory_.isDue()) relieveMemory();
    });
}

// A handler's destructor may close other channels: those are buried in the same turn.
void SelectorThread::bury() {
    if (moves_.hasErrands()) {
        recorder_.begins(FlightRecorder::inBurial, 0, 0, meter_.last());
        moves_.askAgain();
    }
    if (!hasGraves()) return;
    recorder_.begins(FlightRecorder::inBurial, 0, 0, meter_.last());
    while (hasGraves()) {
        std::vector<std::unique_ptr<SelectorHandler>>().swap(replaced_);
        while (graves_ != nullptr) {
            Registration* grave = std::exchange(graves_, graves_->nextGrave);
            flush_.forget(*grave);
            revisit_.forget(*grave);
            delete grave;
        }
    }
    meter_.other();
}

// --- invocations ----------------------------------------------------------------------------

Result<void> SelectorThread::runAndWait(Task task) {
    if (isCurrent()) {
        task();
        return {};
    }
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::fresh) return Errc::notStarted;
    if (state == State::stopped || isLeftBehind()) return Errc::stopped;
    const bool waitsForItself =
        lastTurnBy_.load(std::memory_order_relaxed) == std::this_thread::get_id() &&
        !turning_.load();
    if (waitsForItself) return Errc::waitCycle;
    return runAndWaitOn(*queue_, identity_, task, idle_.mostSpin());
}

}  // namespace nio
