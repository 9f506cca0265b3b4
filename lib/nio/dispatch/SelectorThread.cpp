#include <nio/dispatch/SelectorThread.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <nio/base/Log.h>
#include <nio/dispatch/WaitGraph.h>

namespace nio {

SelectorThread::SelectorThread(SelectorThreadOptions options)
    : options_(std::move(options)),
      identity_(options_.name),
      selector_(Selector::open(options_.selector).orThrow()),
      queue_(std::make_shared<TaskQueue>(selector_->wakeUp(), options_.maxQueuedTasks)) {}

SelectorThread::~SelectorThread() {
    DrainOptions atOnce;
    atOnce.deadline = std::chrono::milliseconds::zero();
    requestClose(atOnce);
    if (thread_.joinable()) thread_.join();
    while (turn(std::chrono::nanoseconds::zero())) {
    }
}

// --- life -----------------------------------------------------------------------------------------

void SelectorThread::run() {
    while (turn(std::nullopt)) {
    }
}

void SelectorThread::start() {
    if (thread_.joinable()) throw std::logic_error("dispatcher '" + name() + "' started twice");
    State fresh = State::fresh;
    state_.compare_exchange_strong(fresh, State::running);
    thread_ = std::thread([this] { run(); });
}

void SelectorThread::join() {
    if (thread_.joinable()) thread_.join();
}

void SelectorThread::requestClose(const DrainOptions& options) {
    // Refused only when it has stopped already.
    (void)queue_
        ->push(
            [this, options] {
                onDispatcher.assertCurrent();
                beginDrain(options);
            },
            TaskQueue::Post::exempt)
        .ok();
}

void SelectorThread::closeListenersLater(Task closed) {
    auto make = [&] {
        return Task([this, closed = std::move(closed)]() mutable {
            onDispatcher.assertCurrent();
            closeListeners();
            closed();
        });
    };
    TaskMadeWhenTaken<decltype(make)&> task{make};
    if (!queue_->push(task, TaskQueue::Post::exempt)) closed();
}

bool SelectorThread::turn(kernel::WaitTime wait) {
    if (isStopped()) return false;
    if (turning_.exchange(true)) {
        throw std::logic_error("dispatcher '" + name() + "' is making a turn already");
    }
    struct Turned {
        std::atomic<bool>& turning;
        ~Turned() { turning.store(false); }
    } turned{turning_};
    State fresh = State::fresh;
    state_.compare_exchange_strong(fresh, State::running);
    const DispatcherIdentity::Turn current(identity_);
    const WaitGraph::Edge nested(current.outer(), identity_);
    identity_.assertCurrent("turn");
    try {
        const bool goesOn = makeTurn(wait);
        loopFailures_ = 0;
        return goesOn;
    } catch (...) {
        loopFailed();
    }
    return !isStopped();
}

bool SelectorThread::makeTurn(kernel::WaitTime wait) {
    runTasks();
    if (closeIfDue()) return false;
    dispatch(select(wait));
    flush();
    bury();
    return true;
}

// --- the steps of a turn --------------------------------------------------------------------------

void SelectorThread::runTasks() {
    queue_->runBatch(options_.maxTasksPerTurn, [this](Task& task) {
        onDispatcher.assertCurrent();
        runTask(task);
    });
    runDeadlines();
}

void SelectorThread::runTask(Task& task) {
    try {
        task();
    } catch (...) {
        report("task", "invokeLater");
    }
}

// A deadline that sets itself to a time that is over waits for the next turn.
void SelectorThread::runDeadlines() {
    if (!deadlines_.earliest()) return;
    const TimePoint now = Clock::now();
    for (std::size_t left = deadlines_.size(); left > 0; --left) {
        Deadline* due = deadlines_.takeDue(now);
        if (due == nullptr) return;
        try {
            due->expire();
        } catch (...) {
            report("deadline", "expire");
        }
    }
}

bool SelectorThread::closeIfDue() {
    if (!drain_) return false;
    const bool over = registry_.size() == 0 || Clock::now() >= drainEnd_;
    if (over) finish();
    return over;
}

std::span<SelectionKey* const> SelectorThread::select(kernel::WaitTime wait) {
    wait = shortened(wait);
    const bool mayWait = !wait || wait->count() > 0;
    const bool sleeps = mayWait && queue_->prepareToSleep();
    if (!sleeps) wait = std::chrono::nanoseconds::zero();
    Result<std::span<SelectionKey* const>> selected = selector_->select(wait);
    if (sleeps) queue_->awake();
    return std::move(selected).orThrow();
}

kernel::WaitTime SelectorThread::shortened(kernel::WaitTime wait) {
    if (!revisit_.empty() || !flush_.empty()) return std::chrono::nanoseconds::zero();
    std::optional<TimePoint> next = deadlines_.earliest();
    if (drain_) next = next ? std::min(*next, drainEnd_) : drainEnd_;
    if (!next) return wait;
    const auto left = std::max(*next - Clock::now(), Clock::duration::zero());
    return wait ? std::min(*wait, left) : left;
}

void SelectorThread::dispatch(std::span<SelectionKey* const> selected) {
    revisit();
    for (SelectionKey* key : selected) {
        if (key->isValid()) dispatchOne(static_cast<Registration&>(*key));
    }
}

void SelectorThread::dispatchOne(Registration& registration) {
    registration.takeReadyOutOfInterest();
    const char* callback = "dispatch";
    guarded(registration, callback, [&] {
        onDispatcher.assertCurrent();
        callReady(registration, callback);
    });
    if (registration.isValid()) registration.reconsider();
}

// `callback` says at any time which one is running. A callback may close the channel, or put another
// handler in its place: the old one is not called again.
void SelectorThread::callReady(Registration& registration, const char*& callback) {
    if (registration.isBroken()) {
        throw std::system_error(std::make_error_code(std::errc::io_error), "epoll_ctl");
    }
    const Registration::Served served = registration.served;
    const Interest ready = registration.ready();
    if (!any(ready)) return;
    switch (served.kind) {
        case Registration::Kind::accept:
            callback = "handleAccept";
            return served.accept->handleAccept();
        case Registration::Kind::connect:
            callback = "handleConnect";
            return served.connect->handleConnect();
        case Registration::Kind::readWrite: break;
    }
    if (any(ready & Interest::read)) {
        callback = "handleRead";
        served.readWrite->handleRead();
    }
    const bool stillServes =
        registration.isValid() && &registration.handler() == served.readWrite;
    if (any(ready & Interest::write) && stillServes) {
        callback = "handleWrite";
        served.readWrite->handleWrite();
    }
}

void SelectorThread::revisit() {
    visiting_.swap(revisit_);
    for (Registration* registration : visiting_) {
        registration->revisitQueued = false;
        if (!registration->isValid()) continue;
        guarded(*registration, "handleRevisit", [&] {
            onDispatcher.assertCurrent();
            registration->handler().handleRevisit();
        });
    }
    visiting_.clear();
}

void SelectorThread::flush() {
    visiting_.swap(flush_);
    for (Registration* registration : visiting_) {
        registration->flushQueued = false;
        if (!registration->isValid()) continue;
        guarded(*registration, "handleFlush", [&] {
            onDispatcher.assertCurrent();
            registration->handler().handleFlush();
        });
    }
    visiting_.clear();
}

// A handler's destructor may close other channels: those are buried in the same turn.
void SelectorThread::bury() {
    while (graves_ != nullptr || !replaced_.empty()) {
        std::vector<std::unique_ptr<SelectorHandler>>().swap(replaced_);
        while (graves_ != nullptr) {
            Registration* grave = std::exchange(graves_, graves_->nextGrave);
            if (grave->flushQueued) std::erase(flush_, grave);
            if (grave->revisitQueued) std::erase(revisit_, grave);
            delete grave;
        }
    }
}

// --- closing --------------------------------------------------------------------------------------

void SelectorThread::beginDrain(const DrainOptions& options) {
    const TimePoint end = Clock::now() + options.deadline;
    if (drain_) {
        drainEnd_ = std::min(drainEnd_, end);
        return;
    }
    drain_ = options;
    drainEnd_ = end;
    for (Registration* registration : registry_.snapshot()) {
        if (!registration->isValid()) continue;
        guarded(*registration, "handleDrain", [&] {
            onDispatcher.assertCurrent();
            registration->handler().handleDrain(options);
        });
    }
}

void SelectorThread::closeListeners() {
    for (Registration* registration : registry_.snapshot()) {
        const bool listens = registration->served.kind == Registration::Kind::accept;
        if (!registration->isValid() || !listens) continue;
        guarded(*registration, "handleDrain", [&] {
            onDispatcher.assertCurrent();
            registration->handler().handleDrain({});
        });
    }
}

// What was accepted by the queue is still run; nothing new is.
void SelectorThread::finish() {
    abortAll();
    closed_ = true;
    queue_->close();
    while (queue_->hasWork()) {
        queue_->runBatch(SIZE_MAX, [this](Task& task) {
            onDispatcher.assertCurrent();
            runTask(task);
        });
    }
    abortAll();
    bury();
    idleLists_.clear();
    deadlines_.clear();
    state_.store(State::stopped, std::memory_order_release);
}

void SelectorThread::abortAll() {
    for (Registration* registration : registry_.snapshot()) {
        if (!registration->isValid()) continue;
        registration->aborted = true;
        guarded(*registration, "handleAbort", [&] {
            onDispatcher.assertCurrent();
            registration->handler().handleAbort();
        });
        registration->channel().close();
    }
}

void SelectorThread::ended(Registration& registration) {
    registry_.remove(registration);
    registration.nextGrave = std::exchange(graves_, &registration);
    const SelectorHandler& handler = registration.handler();
    countConnection(handler.countsAsConnection(), -1);
    if (!drain_ || !handler.countsAsConnection()) return;
    const Remains remains = handler.remains();
    ++(registration.aborted ? report_.aborted : report_.drained);
    report_.bytesLost += remains.unsentBytes;
    report_.bytesUnread += remains.unreadBytes;
}

// --- the barrier ----------------------------------------------------------------------------------

template <class F>
void SelectorThread::guarded(Registration& registration, const char* const& callback, F&& call) {
    try {
        call();
    } catch (...) {
        handlerFailed(registration, callback);
    }
}

namespace {

// Nothing of a handler's may escape from the barrier, its name() neither.
std::string nameOf(const SelectorHandler& handler) noexcept {
    try {
        return handler.name();
    } catch (...) {
        return "(nameless)";
    }
}

}  // namespace

void SelectorThread::handlerFailed(Registration& registration, const char* callback) {
    report(nameOf(registration.handler()), callback);
    if (!registration.isValid()) return;
    try {
        registration.handler().handleFailure(std::current_exception());
    } catch (...) {
        report(nameOf(registration.handler()), "handleFailure");
        registration.channel().close();
    }
    // Whatever its handler makes of it, a channel that cannot be watched is of no further use.
    if (registration.isBroken()) registration.channel().close();
}

namespace {

bool isMisuse(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const WrongThreadError&) {
        return true;
    } catch (...) {
        return false;
    }
}

void logFailure(const Failure& failure) { log(LogLevel::error, failure.toString()); }

[[noreturn]] void logAndAbort(const Failure& failure) {
    logFailure(failure);
    std::abort();
}

}  // namespace

// Out of memory while reporting: what happened is still said, in words that need none.
void SelectorThread::report(std::string handler, const char* callback) noexcept {
    try {
        const Failure failure{name(), std::move(handler), callback, std::current_exception()};
        if (isMisuse(failure.exception)) {
            options_.onMisuse ? options_.onMisuse(failure) : logAndAbort(failure);
        } else {
            options_.onFailure ? options_.onFailure(failure) : logFailure(failure);
        }
    } catch (...) {
        log(LogLevel::error, "a failure could not be reported");
    }
}

void SelectorThread::loopFailed() noexcept {
    onDispatcher.assertCurrent();
    report("loop", "turn");
    if (++loopFailures_ < options_.maxLoopFailures) return;
    log(LogLevel::error, "a dispatcher stops: its loop failed too often in a row");
    finish();
}

// --- channels -------------------------------------------------------------------------------------

Result<ChannelHandle> SelectorThread::adopt(Registration::Served served, Interest interest) {
    SelectableChannel& channel = served.handler().channel();
    const bool listens = served.kind == Registration::Kind::accept;
    if (closed_ || (drain_ && listens)) return Errc::stopped;
    if (!channel.isOpen()) return std::errc::bad_file_descriptor;
    if (ChannelRegistration* already = channel.registration()) {
        if (!already->owner().isCurrent()) return Errc::alreadyRegistered;
        return replace(static_cast<Registration&>(*already), served, interest);
    }
    Result<Registration*> entered = enter(served, interest);
    if (!entered) return entered.error();
    return welcome(*entered.value());
}

Result<ChannelHandle> SelectorThread::welcome(Registration& registration) {
    const ChannelHandle handle = handleOf(registration.channel());
    guarded(registration, "handleRegistered", [&] {
        onDispatcher.assertCurrent();
        registration.handler().handleRegistered();
    });
    if (drain_ && registration.isValid()) {
        guarded(registration, "handleDrain", [&] {
            onDispatcher.assertCurrent();
            registration.handler().handleDrain(*drain_);
        });
    }
    return handle;
}

Result<Registration*> SelectorThread::enter(Registration::Served served, Interest interest) {
    auto registration = std::make_unique<Registration>(*this, *selector_, identity_,
                                                       selector_->io(), served, interest);
    registry_.add(*registration);
    if (Result<void> added = selector_->add(*registration); !added) {
        registry_.remove(*registration);
        return added.error();
    }
    registration->ownsHandler = true;
    served.handler().channel().attach(*registration);
    served.handler().dispatcher_ = this;
    countConnection(served.handler().countsAsConnection(), +1);
    return registration.release();
}

Result<ChannelHandle> SelectorThread::replace(Registration& registration,
                                              Registration::Served served, Interest interest) {
    SelectorHandler& before = registration.handler();
    if (&before != &served.handler()) replaced_.emplace_back(&before);
    countConnection(before.countsAsConnection(), -1);
    countConnection(served.handler().countsAsConnection(), +1);
    registration.served = served;
    served.handler().dispatcher_ = this;
    registration.setInterest(interest);
    return welcome(registration);
}

void SelectorThread::countConnection(bool counts, int by) {
    if (counts) connections_.fetch_add(static_cast<std::size_t>(by), std::memory_order_relaxed);
}

SelectorHandler* SelectorThread::findNow(ChannelHandle handle) {
    identity_.assertCurrent("findNow");
    if (handle.dispatcher() != this) return nullptr;
    Registration* found = registry_.find(handle.slot(), handle.generation());
    return found == nullptr ? nullptr : &found->handler();
}

ChannelHandle SelectorThread::handleOf(SelectableChannel& channel) {
    Registration* registration = registrationOf(channel, "handleOf");
    if (registration == nullptr) return {};
    return {*this, registration->slot, registry_.generationOf(registration->slot)};
}

bool SelectorThread::addChannelInterestLater(ChannelHandle handle, Interest added,
                                             CallbackErrorHandler onError) {
    return invokeLater([this, handle, added, onError = std::move(onError)]() mutable {
        onDispatcher.assertCurrent();
        SelectorHandler* handler = findNow(handle);
        if (handler != nullptr) return addChannelInterestNow(handler->channel(), added);
        if (onError) onError(Errc::notRegistered);
    });
}

bool SelectorThread::removeChannelInterestLater(ChannelHandle handle, Interest removed,
                                                CallbackErrorHandler onError) {
    return invokeLater([this, handle, removed, onError = std::move(onError)]() mutable {
        onDispatcher.assertCurrent();
        SelectorHandler* handler = findNow(handle);
        if (handler != nullptr) return removeChannelInterestNow(handler->channel(), removed);
        if (onError) onError(Errc::notRegistered);
    });
}

void SelectorThread::flushLater(SelectableChannel& channel) {
    Registration* registration = registrationOf(channel, "flushLater");
    if (registration == nullptr || registration->flushQueued) return;
    flush_.push_back(registration);
    registration->flushQueued = true;
}

void SelectorThread::revisitLater(SelectableChannel& channel) {
    Registration* registration = registrationOf(channel, "revisitLater");
    if (registration == nullptr || registration->revisitQueued) return;
    revisit_.push_back(registration);
    registration->revisitQueued = true;
}

void SelectorThread::watchIdle(IdleHook& hook, std::chrono::milliseconds timeout) {
    identity_.assertCurrent("watchIdle");
    hook.unlink();
    if (timeout <= std::chrono::milliseconds::zero()) return;
    const auto same = [timeout](const auto& list) { return list->timeout() == timeout; };
    auto found = std::find_if(idleLists_.begin(), idleLists_.end(), same);
    if (found == idleLists_.end()) {
        idleLists_.push_back(std::make_unique<IdleList>(*this, timeout));
        found = std::prev(idleLists_.end());
    }
    (*found)->link(hook);
}

void SelectorThread::deliverIdle(SelectorHandler& handler) {
    Registration* registration = registrationOf(handler.channel(), "deliverIdle");
    if (registration == nullptr) return;
    guarded(*registration, "handleIdle", [&] {
        onDispatcher.assertCurrent();
        handler.handleIdle();
    });
}

// --- invocations ----------------------------------------------------------------------------------

Result<void> SelectorThread::runAndWait(Task task) {
    if (isCurrent()) {
        task();
        return {};
    }
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::fresh) return Errc::notStarted;
    if (state == State::stopped) return Errc::stopped;
    const WaitGraph::Edge waits(DispatcherIdentity::current(), identity_);
    if (waits.refused()) return Errc::waitCycle;
    return postAndWait(task);
}

Result<void> SelectorThread::postAndWait(Task& task) {
    Completion completion;
    std::exception_ptr thrown;
    Result<void> posted = queue_->push([&] {
        try {
            task();
        } catch (...) {
            thrown = std::current_exception();
        }
        completion.finish();
    });
    if (!posted) return posted;
    completion.wait();
    if (thrown) std::rethrow_exception(thrown);
    return {};
}

}  // namespace nio
