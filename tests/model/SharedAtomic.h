// What stands for std::atomic in the code under test: each operation is one step of the explorer.
// Orders of memory are not looked at. An operation on one that was destroyed fails the run.
//
// Thread: one.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "model/Explorer.h"

namespace model {

template <class T>
class SharedAtomic {
  public:
    static constexpr bool is_always_lock_free = true;

    SharedAtomic() = default;
    // Not a step: nobody else knows it yet.
    constexpr SharedAtomic(T value) : value_(value) {}
    SharedAtomic(const SharedAtomic&) = delete;
    SharedAtomic& operator=(const SharedAtomic&) = delete;
    ~SharedAtomic() { lives_ = dead; }

    template <class... Order>
    T load(Order...) const {
        touch("load");
        return value_;
    }
    template <class... Order>
    void store(T value, Order...) {
        touch("store");
        set(value);
    }
    template <class... Order>
    T exchange(T value, Order...) {
        touch("exchange");
        const T before = value_;
        set(value);
        return before;
    }
    template <class... Order>
    bool compare_exchange_strong(T& expected, T value, Order...) {
        touch("compare and exchange");
        if (value_ != expected) {
            expected = value_;
            return false;
        }
        set(value);
        return true;
    }
    template <class... Order>
    T fetch_add(T by, Order...) {
        touch("add");
        const T before = value_;
        set(static_cast<T>(value_ + by));
        return before;
    }
    template <class... Order>
    T fetch_sub(T by, Order...) {
        touch("subtract");
        const T before = value_;
        set(static_cast<T>(value_ - by));
        return before;
    }
    operator T() const { return load(); }
    T operator=(T value) {
        store(value);
        return value;
    }

    // Sleeps without a look at the value: only a notification wakes it.
    template <class... Order>
    void wait(T old, Order...) const {
        for (;;) {
            touch("look before sleep");
            if (value_ != old) return;
            const std::size_t seen = notifications_;
            Explorer::waitUntil("sleep", [this, seen] { return notifications_ != seen; });
            Explorer::require(lives_ == alive, "it slept on something that is gone");
        }
    }
    void notify_one() { notify_all(); }
    void notify_all() {
        touch("notify");
        ++notifications_;
        Explorer::changed();
    }

  private:
    static constexpr unsigned alive = 0xA11FE;
    static constexpr unsigned dead = 0xDEAD;

    void touch(const char* what) const {
        Explorer::step(what);
        if (lives_ == alive) return;
        Explorer::require(false, std::string(what) + " of something that is gone");
    }
    void set(T value) {
        value_ = value;
        Explorer::changed();
    }

    T value_{};
    std::size_t notifications_ = 0;
    volatile unsigned lives_ = alive;
};

}  // namespace model
