#include <nio/dispatch/ExceptionBarrier.h>

#include <cstdlib>

#include <nio/base/Log.h>

namespace nio {

namespace {

// Nothing of a handler's may escape from the barrier, its name() neither.
std::string nameOf(const SelectorHandler& handler) noexcept {
    try {
        return handler.name();
    } catch (...) {
        return "(nameless)";
    }
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

// One that put another handler in its place before it threw has no channel to lose any more.
void ExceptionBarrier::handlerFailed(Registration& registration, SelectorHandler& called,
                                     const char* callback) {
    report(nameOf(called), callback);
    if (!registration.isValid() || &registration.handler() != &called) return;
    const FlightRecorder::Inside inside(recorder_, registration, "handleFailure");
    try {
        called.handleFailure(std::current_exception());
    } catch (...) {
        report(nameOf(called), "handleFailure");
        registration.channel().close();
    }
    // Whatever its handler makes of it, a channel that cannot be watched is of no further use.
    if (registration.isBroken()) registration.channel().close();
}

// Out of memory while reporting: what happened is still said, in words that need none.
void ExceptionBarrier::report(std::string handler, const char* callback) noexcept {
    try {
        const Failure failure{dispatcher_, std::move(handler), callback, std::current_exception()};
        if (isMisuse(failure.exception)) {
            options_.onMisuse ? options_.onMisuse(failure) : logAndAbort(failure);
        } else {
            options_.onFailure ? options_.onFailure(failure) : logFailure(failure);
        }
    } catch (...) {
        log(LogLevel::error, "a failure could not be reported");
    }
}

void ExceptionBarrier::tellGivingUp() noexcept {
    log(LogLevel::error, "a dispatcher stops: its loop failed too often in a row");
    try {
        if (options_.onGivingUp) options_.onGivingUp(givingUp_);
    } catch (...) {
        report("loop", "onGivingUp");
    }
}

}  // namespace nio
