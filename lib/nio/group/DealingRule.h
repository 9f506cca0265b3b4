// Which dispatcher of a group gets the next connection.
//
// Thread: choose() is called from any thread, also concurrently.
// Source: ONJava article 2004 (round-robin; "it may be necessary to take in consideration other
// factors such as the activity going on in each thread").
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include <nio/base/Cpp20.h>

namespace nio {

class SelectorThread;

class DealingRule {
  public:
    using Threads = std::span<const std::unique_ptr<SelectorThread>>;

    virtual ~DealingRule() = default;
    // An index into `threads`, of which there is at least one.
    virtual std::size_t choose(Threads threads) = 0;
    // Each dispatcher needs listeners of its own: see ReusePort.
    virtual bool listensEverywhere() const { return false; }
};

// In turn: after N * size() calls each dispatcher had exactly N. Skips those that drain or have
// stopped, unless all have.
class RoundRobin final : public DealingRule {
  public:
    std::size_t choose(Threads threads) override;

  private:
    std::atomic<std::size_t> next_{0};
};

// The kernel deals: a Server opens one listener per dispatcher (SO_REUSEPORT), and a connection
// stays on the dispatcher that accepted it, so that nothing passes between threads. TCP only. The
// kernel chooses by a hash of the addresses, regardless of load, and connections in the backlog of
// a busy dispatcher wait for that one.
class ReusePort final : public DealingRule {
  public:
    // On a dispatcher of the group: that one; elsewhere: in turn.
    std::size_t choose(Threads threads) override;
    bool listensEverywhere() const override { return true; }

  private:
    RoundRobin others_;
};

// The dispatcher with the fewest connections; equals in turn. Skips those that drain or have
// stopped, unless all have.
class FewestConnections final : public DealingRule {
  public:
    std::size_t choose(Threads threads) override;

  private:
    std::atomic<std::size_t> start_{0};
};

}  // namespace nio
