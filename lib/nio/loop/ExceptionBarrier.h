// Wraps every callback of the program: records and times it, reports an exception that escapes with
// the handler's name, and passes it to that handler. Other channels are not affected.
//
// Thread: the dispatcher's own; report() is called there too.
// Errors: no exception comes out, only a forced unwind (see Guarded.h). A WrongThreadError is a
// mistake of the program: onMisuse, by default abort.
#pragma once

#include <string>

#include <nio/base/Guarded.h>
#include <nio/loop/Registration.h>
#include <nio/loop/SelectorThreadOptions.h>
#include <nio/observe/TurnObserver.h>

namespace nio {

class Deadline;

class ExceptionBarrier {
  public:
    // All must outlive it.
    ExceptionBarrier(const std::string& dispatcher, const SelectorThreadOptions& options,
                     TurnObserver& observer)
        : dispatcher_(dispatcher),
          options_(options),
          observer_(observer),
          givingUp_(Errc::loopFailed, "dispatcher " + dispatcher) {}

    // `callback` is read only when an exception escapes, so `call` may update it to say what it is
    // running.
    template <class F>
    void guard(Registration& registration, const char* const& callback, F&& call)
        NIO_REQUIRES(onDispatcher) {
        SelectorHandler& called = registration.handler();
        guarded(std::forward<F>(call), [&](const std::exception_ptr& thrown) {
            onDispatcher.assertCurrent();
            handlerFailed(registration, called, callback, thrown);
        });
    }

    // guard() around one of the handler's own functions, nested in another callback or a task.
    template <class... Parameters, class... Arguments>
    void tell(Registration& registration, const char* name,
              void (SelectorHandler::*callback)(Parameters...), Arguments&&... arguments)
        NIO_REQUIRES(onDispatcher) {
        const FlightRecorder::Inside inside(observer_.recorder(), registration.callee(), name);
        guard(registration, name, [&] { (registration.handler().*callback)(arguments...); });
    }
    // The same as a step of the turn, with a time of its own.
    void call(Registration& registration, const char* name, void (SelectorHandler::*callback)())
        NIO_REQUIRES(onDispatcher);

    // A Task or a PostedTask.
    template <class T>
    void run(T& task) NIO_REQUIRES(onDispatcher) {
        observer_.taskBegins();
        guarded(task, [this](const std::exception_ptr& thrown) {
            report("task", "invokeLater", thrown);
        });
    }
    void expire(Deadline& due) NIO_REQUIRES(onDispatcher);

    // `thrown`, as an exception of `handler`'s `callback`.
    [[gnu::cold]] void report(std::string handler, const char* callback,
                              const std::exception_ptr& thrown);

    // A turn has failed before its end. True: too many in a row; the program has been told that the
    // dispatcher stops. Needs no memory itself.
    [[gnu::cold]] bool turnFailed(const std::exception_ptr& thrown);
    void turnSucceeded() { failedTurns_ = 0; }
    bool hasTurnFailed() const { return failedTurns_ > 0; }
    // A callback has ended the dispatcher's thread; the dispatcher stops.
    [[gnu::cold]] void tellThreadEnds();

  private:
    [[gnu::cold]] void handlerFailed(Registration& registration, SelectorHandler& called,
                                     const char* callback, const std::exception_ptr& thrown)
        NIO_REQUIRES(onDispatcher);
    void tellStopping(const Error& why);

    const std::string& dispatcher_;
    const SelectorThreadOptions& options_;
    TurnObserver& observer_;
    const Error givingUp_;
    std::size_t failedTurns_ = 0;  // in a row
};

}  // namespace nio
