// The thread rule and how it is checked.
//
// A selector, its keys, the channels registered with it and their handlers are touched by one
// thread only: the thread that runs their dispatcher's turn.
//
//  - At run time, in every build: DispatcherIdentity::assertCurrent throws WrongThreadError before
//    anything is touched. Programs need nothing else, and no macro from this file.
//  - At compile time, for code that asks for it: define NIO_THREAD_SAFETY_ANALYSIS before the first
//    header of the library (best with -D) and compile with clang -Wthread-safety. clang then proves
//    "on some dispatcher": confined fields are NIO_GUARDED_BY(nio::onDispatcher), functions that
//    may only be called there are NIO_REQUIRES(nio::onDispatcher), overrides repeat the macro, and
//    a posted lambda begins with nio::onDispatcher.assertCurrent(). The library and its programs
//    are built in this way. Without the definition the macros are empty.
//
// The current dispatcher is the one whose turn is on this thread's stack, never a thread id.
//
// Thread: any.
#pragma once

#include <stdexcept>
#include <string>

#include <nio/base/Cpp20.h>

#if defined(__clang__) && defined(NIO_THREAD_SAFETY_ANALYSIS)
#define NIO_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define NIO_THREAD_ATTRIBUTE(x)
#endif

#define NIO_CAPABILITY(name) NIO_THREAD_ATTRIBUTE(capability(name))
#define NIO_GUARDED_BY(role) NIO_THREAD_ATTRIBUTE(guarded_by(role))
#define NIO_REQUIRES(role) NIO_THREAD_ATTRIBUTE(requires_capability(role))
#define NIO_ASSERT_CAPABILITY(role) NIO_THREAD_ATTRIBUTE(assert_capability(role))
#define NIO_NO_THREAD_SAFETY_ANALYSIS NIO_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace nio {

class SelectorThread;

// A call in the wrong place. It is a mistake of the program, not of a peer: what() names the call,
// the dispatcher that owns the object, and where the call was made.
class WrongThreadError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

// The static capability "this code runs in some dispatcher's turn".
class NIO_CAPABILITY("dispatcher") ThreadRole {
  public:
    // Throws WrongThreadError where no dispatcher's turn is on this thread's stack.
    void assertCurrent() const NIO_ASSERT_CAPABILITY(this);
    // Only tells the compiler: for a lambda that runs before its enclosing function returns.
    void assumeCurrent() const noexcept NIO_ASSERT_CAPABILITY(this) {}
};

inline constexpr ThreadRole onDispatcher{};

// Identifies a dispatcher: its name, and whether its turn is the one on this thread's stack.
class DispatcherIdentity {
  public:
    explicit DispatcherIdentity(std::string name, SelectorThread* dispatcher = nullptr)
        : name_(std::move(name)), dispatcher_(dispatcher) {}
    DispatcherIdentity(const DispatcherIdentity&) = delete;
    DispatcherIdentity& operator=(const DispatcherIdentity&) = delete;

    const std::string& name() const { return name_; }
    SelectorThread* dispatcher() const { return dispatcher_; }
    bool isCurrent() const { return current_ == this; }
    static const DispatcherIdentity* current() { return current_; }

    // Throws WrongThreadError unless this dispatcher's turn is the current one. `call` is the name
    // of the refused call, a string literal.
    void assertCurrent(const char* call) const NIO_ASSERT_CAPABILITY(onDispatcher) {
        if (!isCurrent()) refuse(call);
    }

    // While it lives, the turn of `identity` is the current one on this thread. Turns nest.
    class Turn {
      public:
        explicit Turn(const DispatcherIdentity& identity) : outer_(current_) {
            current_ = &identity;
        }
        ~Turn() { current_ = outer_; }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        const DispatcherIdentity* outer() const { return outer_; }

      private:
        const DispatcherIdentity* outer_;
    };

  private:
    [[noreturn, gnu::cold]] void refuse(const char* call) const;

    // Defined in the library, not here: a program and its plugins must not have one each. constinit
    // spares its readers the question whether it is initialised.
    static constinit thread_local const DispatcherIdentity* current_;
    std::string name_;
    SelectorThread* dispatcher_;
};

}  // namespace nio
