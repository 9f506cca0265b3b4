// Readiness of any descriptor as calls of a function: a pipe, a terminal, a socket of another
// library.
//
//     nio::Watch input;
//     input = nio::watch(dispatcher, 0, nio::Interest::read, [&] {
//         if (!readSome()) input.unwatch();
//     }).orThrow();
//     dispatcher.run();
//
// The function is called in each turn for as long as the descriptor is ready, once for each of
// reading, writing and exceptional (Interest.h). Each may have a function of its own: watch()
// again. The caller keeps the descriptor, and reads, writes and closes it. A duplicate is watched,
// so unwatch before you close.
//
// Thread: watch(), unwatch() and unwatchAll() any; the function is called on the dispatcher.
// Lifetime: the destructor unwatches. It may outlive the dispatcher. A drain ends all watches. The
// function may unwatch, and is destroyed at the end of the turn at the earliest.
// Errors: bad_file_descriptor; stopped; queueFull; not_enough_memory (for the task, elsewhere than
// on the dispatcher); invalid_argument (an interest other than these three); in one of the
// dispatcher's turns also the kernel's: operation_not_permitted of epoll for a regular file.
// Elsewhere that comes later: it is logged, and the function is not called. An exception from the
// function is reported to onFailure and unwatches.
// Source: Python's reactor (register, unregister, unregister_all; handlers that are functions).
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <utility>

#include <nio/base/UniqueFunction.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

class Watch {
  public:
    Watch() = default;
    Watch(Watch&&) noexcept = default;
    Watch& operator=(Watch&& other) noexcept {
        unwatch();
        state_ = std::move(other.state_);
        return *this;
    }
    ~Watch() { unwatch(); }

    // The function is not called again, but for a call in progress on another thread. Idempotent.
    void unwatch() noexcept;
    // False after unwatch(), or when the dispatcher has ended it.
    bool isOn() const;

  private:
    friend class WatchHandler;
    friend Result<Watch> watch(SelectorThread&, int, Interest, UniqueFunction<void(Interest)>);
    struct State;

    explicit Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

// `f` is told what is ready.
Result<Watch> watch(SelectorThread& thread, int fd, Interest interest,
                    UniqueFunction<void(Interest ready)> f);
template <std::invocable F>
Result<Watch> watch(SelectorThread& thread, int fd, Interest interest, F f) {
    return watch(thread, fd, interest,
                 UniqueFunction<void(Interest)>([f = std::move(f)](Interest) mutable { f(); }));
}

// Ends all watches of this descriptor on this dispatcher: at once in one of its turns, elsewhere
// with its next one. False: stopped or full.
bool unwatchAll(SelectorThread& thread, int fd);

}  // namespace nio
