// Stands round every callback that is not ours: an exception that escapes is reported with the
// handler's name and given to that handler; nobody else notices.
//
// Thread: the dispatcher's own; report() is called there too.
// Errors: none come out. A WrongThreadError is a mistake of the program: onMisuse, by default
// abort.
#pragma once

#include <string>

#include <nio/dispatch/FlightRecorder.h>
#include <nio/dispatch/Registration.h>
#include <nio/dispatch/SelectorThreadOptions.h>

namespace nio {

class ExceptionBarrier {
  public:
    // All must outlive it.
    ExceptionBarrier(const std::string& dispatcher, const SelectorThreadOptions& options,
                     FlightRecorder& recorder)
        : dispatcher_(dispatcher),
          options_(options),
          recorder_(recorder),
          givingUp_(Errc::loopFailed, "dispatcher " + dispatcher) {}

    // `callback` is read when something escapes: it may say by then which one was running.
    template <class F>
    void guard(Registration& registration, const char* const& callback, F&& call)
        NIO_REQUIRES(onDispatcher) {
        SelectorHandler& called = registration.handler();
        try {
            call();
        } catch (...) {
            handlerFailed(registration, called, callback);
        }
    }

    // guard() round one of the handler's own functions, called inside of something else.
    template <class... Parameters, class... Arguments>
    void tell(Registration& registration, const char* name,
              void (SelectorHandler::*callback)(Parameters...), Arguments&&... arguments)
        NIO_REQUIRES(onDispatcher) {
        const FlightRecorder::Inside inside(recorder_, registration, name);
        guard(registration, name, [&] { (registration.handler().*callback)(arguments...); });
    }

    // The current exception, as one of `handler`'s `callback`.
    [[gnu::cold]] void report(std::string handler, const char* callback) noexcept;
    // The loop has failed too often; the dispatcher stops. Needs no memory itself.
    [[gnu::cold]] void tellGivingUp() noexcept;

  private:
    [[gnu::cold]] void handlerFailed(Registration& registration, SelectorHandler& called,
                                     const char* callback) NIO_REQUIRES(onDispatcher);

    const std::string& dispatcher_;
    const SelectorThreadOptions& options_;
    FlightRecorder& recorder_;
    const Error givingUp_;
};

}  // namespace nio
