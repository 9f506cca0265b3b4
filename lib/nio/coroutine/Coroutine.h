// The return type of a coroutine. It owns the frame; the coroutine starts when it is awaited.
//
//     nio::Coroutine<std::string> request(auto& peer) { ... co_return line; }
//     ...
//     std::string line = co_await request(peer);
//
// Thread: one at a time.
// Lifetime: destroying it destroys what the coroutine holds, also in the middle, where it waits;
// what it awaits is destroyed with it. The arguments of a coroutine that are references, and the
// captures of a lambda, must outlive it.
// Errors: an exception from the coroutine comes out of co_await. pthread_exit() in it aborts.
#pragma once

// Included before <coroutine>, which reports an older standard less clearly.
#include <nio/base/Cpp20.h>

#include <coroutine>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include <nio/base/Guarded.h>

namespace nio {

template <class T>
class Coroutine;

namespace coroutines {

class PromiseBase {
  public:
    std::suspend_always initial_suspend() const noexcept { return {}; }
    auto final_suspend() const noexcept {
        struct Ended {
            bool await_ready() const noexcept { return false; }
            // The last call: the awaiter may destroy this frame.
            void await_suspend(std::coroutine_handle<>) const noexcept {
                if (waiting) waiting.resume();
            }
            void await_resume() const noexcept {}

            std::coroutine_handle<> waiting;
        };
        return Ended{waiting_};
    }
    void unhandled_exception() noexcept { thrown_ = caughtException(); }

    // Set only when the coroutine waits for the first time. If it ends before that, its awaiter
    // goes on without being resumed.
    void setWaiting(std::coroutine_handle<> waiting) { waiting_ = waiting; }
    void rethrow() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

  private:
    std::coroutine_handle<> waiting_;
    std::exception_ptr thrown_;
};

template <class T>
class Promise : public PromiseBase {
  public:
    Coroutine<T> get_return_object();
    void return_value(T value) { value_.emplace(std::move(value)); }
    T take() {
        rethrow();
        return std::move(*value_);
    }

  private:
    std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
  public:
    Coroutine<void> get_return_object();
    void return_void() const noexcept {}
    void take() { rethrow(); }
};

}  // namespace coroutines

template <class T = void>
class [[nodiscard]] Coroutine {
  public:
    using promise_type = coroutines::Promise<T>;

    Coroutine() = default;
    explicit Coroutine(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
    Coroutine(Coroutine&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Coroutine& operator=(Coroutine&& other) noexcept {
        Coroutine ends(std::move(other));
        std::swap(frame_, ends.frame_);
        return *this;
    }
    ~Coroutine() {
        if (frame_) frame_.destroy();
    }

    // For co_await.
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) {
        if (!frame_ || frame_.done()) throw std::logic_error("nio::Coroutine: awaited twice");
        frame_.resume();
        if (frame_.done()) return false;
        frame_.promise().setWaiting(waiting);
        return true;
    }
    T await_resume() { return frame_.promise().take(); }

    // For CoroutineRun.
    std::coroutine_handle<promise_type> frame() const { return frame_; }

  private:
    std::coroutine_handle<promise_type> frame_;
};

namespace coroutines {
template <class T>
Coroutine<T> Promise<T>::get_return_object() {
    return Coroutine<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Coroutine<void> Promise<void>::get_return_object() {
    return Coroutine<void>(std::coroutine_handle<Promise>::from_promise(*this));
}
}  // namespace coroutines

}  // namespace nio
