#include <nio/loop/ExceptionBarrier.h>

#include <cstdlib>

#include <nio/base/Log.h>
#include <nio/timers/Deadline.h>

namespace nio {

namespace {

// Nothing of a handler's may escape from the barrier, its name() neither.
std::string nameOf(const SelectorHandler& handler) {
    std::string name = "(nameless)";
    guarded([&] { name = handler.name(); }, [](const std::exception_ptr&) {});
    return name;
}

bool isMisuse(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const WrongThreadError&) {
        return true;
    } catch (...) {
        return false;
    }
}

void logFailure(const Failure& failure) {
    log(LogLevel::error, failure.toString());
}

[[noreturn]] void logAndAbort(const Failure& failure) {
    logFailure(failure);
    std::abort();
}

}  // namespace

void ExceptionBarrier::call(Registration& registration, const char* name,
                            void (SelectorHandler::*callback)()) {
    observer_.callbackBegins(registration.callee(), name);
    guard(registration, name, [&] { (registration.handler().*callback)(); });
    observer_.callbackEnds();
}

void ExceptionBarrier::expire(Deadline& due) {
    observer_.deadlineBegins();
    guarded(
        [&] {
            onDispatcher.assertCurrent();
            due.expire();
        },
        [this](const std::exception_ptr& thrown) { report("deadline", "expire", thrown); });
    observer_.deadlineEnds();
}

// One that put another handler in its place before it threw has no channel to lose any more.
void ExceptionBarrier::handlerFailed(Registration& registration, SelectorHandler& called,
                                     const char* callback, const std::exception_ptr& thrown) {
    report(nameOf(called), callback, thrown);
    if (!registration.isValid() || &registration.handler() != &called) return;
    const FlightRecorder::Inside inside(observer_.recorder(), registration.callee(),
                                        "handleFailure");
    guarded(
        [&] {
            onDispatcher.assertCurrent();
            called.handleFailure(thrown);
        },
        [&](const std::exception_ptr& again) {
            report(nameOf(called), "handleFailure", again);
            registration.channel().close();
        });
    // Whatever its handler makes of it, a channel that cannot be watched is of no further use.
    if (registration.isBroken()) registration.channel().close();
}

// Out of memory while reporting: what happened is still said, in words that need none.
void ExceptionBarrier::report(std::string handler, const char* callback,
                              const std::exception_ptr& thrown) {
    guarded(
        [&] {
            const Failure failure{dispatcher_, std::move(handler), callback, thrown};
            if (isMisuse(thrown)) {
                options_.onMisuse ? options_.onMisuse(failure) : logAndAbort(failure);
            } else {
                options_.onFailure ? options_.onFailure(failure) : logFailure(failure);
            }
        },
        [](const std::exception_ptr&) { log(LogLevel::error, "a failure could not be reported"); });
}

bool ExceptionBarrier::turnFailed(const std::exception_ptr& thrown) {
    report("loop", "turn", thrown);
    if (++failedTurns_ < options_.maxLoopFailures) return false;
    log(LogLevel::error, "a dispatcher stops: its event loop failed repeatedly");
    tellStopping(givingUp_);
    return true;
}

void ExceptionBarrier::tellThreadEnds() {
    Error why(Errc::threadEnded);
    guarded(
        [&] {
            why = Error(Errc::threadEnded, "dispatcher " + dispatcher_);
            log(LogLevel::error,
                "dispatcher " + dispatcher_ +
                    " stops and closes its connections: a callback ended its thread "
                    "(pthread_exit, pthread_cancel)");
        },
        [](const std::exception_ptr&) {
            log(LogLevel::error, "a dispatcher stops: a callback ended its thread");
        });
    tellStopping(why);
}

void ExceptionBarrier::tellStopping(const Error& why) {
    guarded(
        [&] {
            if (options_.onGivingUp) options_.onGivingUp(why);
        },
        [this](const std::exception_ptr& thrown) { report("loop", "onGivingUp", thrown); });
}

}  // namespace nio
