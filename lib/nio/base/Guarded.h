// Calls a function of the program and turns its exception into a value. The library wraps every
// callback and task this way.
//
// An exception of another language's runtime is caught, too, and presented as a ForeignException.
// A forced unwind (pthread_exit) is not an exception: glibc aborts the process if it is caught, so
// it passes through and ends its thread. Destructors run as for an exception. Only libstdc++
// on glibc tells it apart: elsewhere a callback must not call pthread_exit.
//
// Thread: any.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <nio/base/Error.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace nio {

// Represents an exception that is not a C++ exception.
class ForeignException : public std::exception {
  public:
    const char* what() const noexcept override { return "unknown exception"; }
};

// The exception being handled; never null inside a catch block.
[[gnu::cold]] std::exception_ptr caughtException() noexcept;

// The text of the exception: what().
std::string whatOf(const std::exception_ptr& exception);

// The exception as the reason of a connection's end: not_enough_memory (made without allocating) or
// handlerFailed with its text.
Error errorOf(const std::exception_ptr& exception);

// Calls `call`. If it throws, passes the exception to `failed`, outside the catch block, so
// `failed` may call functions of the program.
template <class Call, class Failed>
void guarded(Call&& call, Failed&& failed) {
    // Created only if something is thrown: this code runs for every event.
    union Thrown {
        Thrown() {}
        ~Thrown() {}
        std::exception_ptr exception;
    } thrown;
    try {
        return static_cast<void>(call());
    }
#ifdef __GLIBCXX__
    catch (abi::__forced_unwind&) {
        throw;
    }
#endif
    catch (...) {
        new (&thrown.exception) std::exception_ptr(caughtException());
    }
    std::exception_ptr exception = std::move(thrown.exception);
    thrown.exception.~exception_ptr();
    failed(std::move(exception));
}

// An exception that escaped from a callback, as the dispatcher reports it.
struct Failure {
    std::string dispatcher;
    std::string handler;   // its name(); "task", "deadline" or "loop" where there is none
    std::string callback;  // "handleRead", "invokeLater", …
    std::exception_ptr exception;

    // The exception's own words; "unknown exception" of one that is not of C++.
    std::string what() const;
    // "dispatcher nio-1: EchoHandler::handleRead: what".
    std::string toString() const;
};

}  // namespace nio
