// Calls a function of the program's and turns what it throws into a value: the one way in which the
// library stands round callbacks and tasks.
//
// An exception that another language's runtime raised is caught, too, and given as a
// ForeignException. A forced unwind (pthread_exit) is not an exception: glibc ends
// the process if it is caught, so it passes through to the end of its thread. Destructors on its
// way see it like an exception.
//
// Thread: any.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include <nio/base/Cpp20.h>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace nio {

// Stands for an exception that is not of C++.
class ForeignException : public std::exception {
  public:
    const char* what() const noexcept override { return "unknown exception"; }
};

// The exception that is being handled; never null inside a catch block.
[[gnu::cold]] std::exception_ptr caughtException() noexcept;

// The exception's own words.
std::string whatOf(const std::exception_ptr& exception);

// Calls `call`. Where it throws, `failed` gets the exception, outside of the catch block: it may
// call the program's functions in turn.
template <class Call, class Failed>
void guarded(Call&& call, Failed&& failed) {
    // Made only where something is thrown: it stands round every event.
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

}  // namespace nio
