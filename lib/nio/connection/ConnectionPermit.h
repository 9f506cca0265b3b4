// The right to one of the open connections that an Acceptor allows; returned by the destructor.
//
// Thread: any; one thread at a time per permit.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include <nio/base/UniqueFunction.h>

namespace nio {

// Counts the permits of one Acceptor, or of several that share it.
class ConnectionGate {
  public:
    explicit ConnectionGate(std::size_t maximum) : maximum_(maximum) {}

    std::size_t open() const { return open_.load(std::memory_order_relaxed); }
    std::size_t maximum() const { return maximum_.load(std::memory_order_relaxed); }
    // Lowering the limit closes no existing connection.
    void setMaximum(std::size_t maximum);

    // False: full.
    bool enter();
    // Succeeds at the limit, too: for connections of a closing backlog that would be reset
    // otherwise.
    void enterAnyway() { open_.fetch_add(1); }
    void leave();
    // Calls `whenFree` once, from any thread, when a permit is returned; immediately if one is
    // free. Of several that wait all are called; a second call for the same `waiter` replaces its
    // first. If `whenFree` throws std::bad_alloc it is called again for the next permit.
    void waitForOne(UniqueFunction<void()> whenFree, const void* waiter = nullptr);

  private:
    struct Waiting {
        const void* waiter;
        UniqueFunction<void()> whenFree;
    };

    void tellWaiters();
    void add(Waiting waiting);

    std::atomic<std::size_t> maximum_;
    std::atomic<std::size_t> open_{0};
    std::atomic<bool> waited_{false};
    std::mutex mutex_;
    std::list<Waiting> waiting_;  // under mutex_; one that moves needs no memory
};

class ConnectionPermit {
  public:
    ConnectionPermit() = default;
    explicit ConnectionPermit(std::shared_ptr<ConnectionGate> gate) : gate_(std::move(gate)) {}
    ConnectionPermit(ConnectionPermit&& other) noexcept = default;
    ConnectionPermit& operator=(ConnectionPermit&& other) noexcept {
        if (this != &other) {
            release();
            gate_ = std::move(other.gate_);
        }
        return *this;
    }
    ~ConnectionPermit() { release(); }

    void release() {
        if (gate_ != nullptr) std::exchange(gate_, nullptr)->leave();
    }

  private:
    std::shared_ptr<ConnectionGate> gate_;
};

}  // namespace nio
