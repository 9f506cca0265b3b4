// A counter that one thread writes and any thread reads, without a lock or an atomic
// read-modify-write: the statistics of a dispatcher.
//
// A reader sees a whole value of a moment ago; two counters may be from different moments.
//
// Thread: add() and set() the owner's; read() any.
#pragma once

#include <atomic>

#include <nio/base/Cpp20.h>

namespace nio {

template <class T>
class Published {
  public:
    void set(T value) { value_.store(value, std::memory_order_relaxed); }
    // Wraps around: subtract by adding the negative.
    void add(T more) {
        const T before = value_.load(std::memory_order_relaxed);
        value_.store(static_cast<T>(before + more), std::memory_order_relaxed);
    }
    T read() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<T> value_{};
};

}  // namespace nio
