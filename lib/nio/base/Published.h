// A number that one thread writes and any thread reads, without a lock and without an atomic
// read-modify-write: what a dispatcher counts about itself.
//
// A reader sees each number whole and not older than a moment; two of them are not of the same
// moment.
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
    // Wraps around: what is subtracted is added as its negative.
    void add(T more) { set(static_cast<T>(read() + more)); }
    T read() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<T> value_{};
};

}  // namespace nio
