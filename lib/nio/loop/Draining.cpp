#include <nio/loop/Draining.h>

#include <nio/loop/SelectorThread.h>

namespace nio {

// --- when it begins -------------------------------------------------------------------------

void Draining::request(const DrainOptions& options) {
    TaskQueue& queue = *thread_.queue();
    const Result<void> asked = queue.pushOrRefuse([this, options] {
        onDispatcher.assertCurrent();
        begin(options);
    });
    // Else it has stopped already.
    if (asked || !asked.error().is(std::errc::not_enough_memory)) return;
    request_.put(options);
    queue.nudge();
}

void Draining::beginAt(TimePoint when, const DrainOptions& options) {
    thread_.identity().assertCurrent("Draining::beginAt");
    if (beginning_ && beginsAt_ <= when) return;
    beginning_.emplace(thread_.deadlines(), [this, options] {
        onDispatcher.assertCurrent();
        begin(options);
    });
    try {
        beginning_->wakeAt(beginsAt_ = when);
    } catch (const std::bad_alloc&) {
        begin(options);
    }
}

void Draining::begin(const DrainOptions& options) {
    const TimePoint end = Clock::after(options.deadline);
    if (options_) {
        end_ = std::min(end_, end);
        return;
    }
    thread_.moves().callBack();
    thread_.queue()->refuseConnections();
    options_ = options;
    end_ = end;
    thread_.registry().table().visitAll([&](Registration& registration) {
        onDispatcher.assertCurrent();
        barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain, options);
    });
}

const std::optional<DrainOptions>& Draining::options() const {
    thread_.identity().assertCurrent("Draining::options");
    return options_;
}

void Draining::tell(Registration& registration) {
    if (!options_ || !registration.isValid()) return;
    barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain, *options_);
}

// --- its listeners --------------------------------------------------------------------------

void Draining::closeListenersLater(Task closed, const DrainOptions& options) {
    closeListenersBy(Clock::after(options.deadline), std::make_shared<Task>(std::move(closed)),
                     options);
}

// Where nobody can be waited for, by the end of the time or for want of memory, that is all.
void Draining::closeListenersBy(TimePoint end, std::shared_ptr<Task> closed,
                                const DrainOptions& options) {
    const Result<void> asked = thread_.queue()->pushOrRefuse([this, end, closed, options] {
        onDispatcher.assertCurrent();
        const bool isOver = closeListeners(options) || Clock::now() >= end;
        isOver ? (*closed)() : closeListenersBy(end, closed, options);
    });
    if (!asked) (*closed)();
}

// False: one asks to be revisited. It failed with a connection, and others wait behind that.
bool Draining::closeListeners(const DrainOptions& options) {
    bool allHaveEnded = true;
    thread_.registry().table().visitAll([&](Registration& registration) {
        onDispatcher.assertCurrent();
        if (registration.kind() != Registration::Kind::accept) return;
        barrier_.tell(registration, "handleDrain", &SelectorHandler::handleDrain, options);
        if (registration.isValid() && registration.revisitQueued) allHaveEnded = false;
    });
    return allHaveEnded;
}

// --- its end --------------------------------------------------------------------------------

bool Draining::hasEnded() const {
    const bool isOneAway = thread_.moves().places().anyIsAway();
    // What waits in the queue may be connections that were accepted a moment ago.
    const bool isOneComing = thread_.queue()->hasWork();
    const bool idle = !thread_.registry().holdsUpDrain() && !isOneAway && !isOneComing;
    return idle || Clock::now() >= end_;
}

void Draining::connectionEnded(const SelectorHandler& handler, bool wasAborted) {
    if (options_) report_.add(handler.remains(), wasAborted);
}

// What was accepted by the queue is still run; nothing new is.
void Draining::finish() {
    if (!options_) options_ = DrainOptions::atOnce();  // so that the report says what is lost
    abortAll();
    thread_.registry().close();
    TaskQueue& queue = *thread_.queue();
    queue.refuseConnections();
    queue.close();
    while (queue.hasWork()) {
        queue.runBatch(SIZE_MAX, [this](PostedTask& task) {
            onDispatcher.assertCurrent();
            barrier_.run(task);
        });
    }
    abortAll();
    thread_.moves().places().forgetAway();
}

void Draining::abortAll() {
    thread_.moves().callBack();
    thread_.registry().table().visitAll([this](Registration& registration) {
        onDispatcher.assertCurrent();
        registration.aborted = true;
        barrier_.tell(registration, "handleAbort", &SelectorHandler::handleAbort);
        registration.channel().close();
    });
}

}  // namespace nio
