// M dispatchers, no workers: several SelectorThreads among which connections are dealt out.
//
// How many? One per CPU (the default) when handlers never block. The article's advice for handlers
// that do block now and then (a disk, a database) is 4 to 5 per CPU, so that another dispatcher is
// ready to take over the idle processor; better is to give what blocks a dispatcher of its own.
//
// Thread: any, except construction and destruction.
// Lifetime: must outlive what is registered and everybody who posts. The destructor aborts what is
// left and joins; it must not run on one of the dispatchers.
// Errors: the constructor throws std::system_error.
// Source: ONJava article 2004, "M dispatchers/no workers".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/group/DealingRule.h>
#include <nio/group/Rebalancer.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

struct SelectorThreadGroupOptions {
    std::size_t threads = 0;  // 0: one per CPU
    // For each dispatcher; the name gets "-1", "-2", … appended.
    SelectorThreadOptions thread{};
    std::unique_ptr<DealingRule> dealing = std::make_unique<RoundRobin>();
    // Listeners have a dispatcher of their own ("-acceptor"), which gets no connections.
    bool acceptorThread = false;
    // SelectorThreadOptions::threadStarted with the index of the dispatcher; the acceptor's is
    // size(). Must not throw.
    std::function<void(std::size_t index)> threadStarted{};
    // Moves connections from busy dispatchers to others; only handlers that can be moved
    // (StreamOptions::movable). Off by default.
    std::optional<RebalanceOptions> rebalance{};
};

class SelectorThreadGroup {
  public:
    explicit SelectorThreadGroup(SelectorThreadGroupOptions options = {});
    SelectorThreadGroup(const SelectorThreadGroup&) = delete;
    SelectorThreadGroup& operator=(const SelectorThreadGroup&) = delete;
    ~SelectorThreadGroup();

    // Gives each dispatcher a thread of its own. Throws std::system_error where there is none; then
    // all of them close at once. Throws std::logic_error the second time, and nothing else happens.
    void start();

    std::size_t size() const { return threads_.size(); }
    SelectorThread& operator[](std::size_t index) const { return *threads_[index]; }
    // Where listeners belong: the first dispatcher, unless there is one for them.
    SelectorThread& acceptor() const { return acceptor_ ? *acceptor_ : *threads_.front(); }
    bool hasAcceptorThread() const { return acceptor_ != nullptr; }
    bool listensEverywhere() const { return dealing_->listensEverywhere(); }
    // The dispatcher for the next connection, by the dealing rule.
    SelectorThread& next() { return *threads_[dealing_->choose(threads_)]; }
    std::string_view selectorName() const { return threads_.front()->registry().selectorName(); }
    std::size_t connectionCount() const;

    // Drains all of them: first every listener accepts what waits and closes, then, when all that
    // was dealt out has arrived, the connections drain. The deadline counts from that moment; one
    // whose listeners do not close within it (it is stuck in a callback) is not waited for, so that
    // all the others take twice the deadline at most. Never fails.
    void requestClose(const DrainOptions& options = {});
    // What the destructor does, for an owner whom tasks refer to: all close at once, and what they
    // still have runs, here for those that have no thread. Not on a dispatcher of the group.
    void end();
    // Waits for the threads that start() made; see SelectorThread::join().
    void join();
    // The sum. Once all have stopped.
    DrainReport drainReport() const;

  private:
    std::unique_ptr<SelectorThread> made(const SelectorThreadGroupOptions& options,
                                         std::size_t index, const std::string& suffix);
    void closeAtOnce();
    void waitForOthers(SelectorThread& here, TimePoint end, const DrainOptions& options);

    std::unique_ptr<DealingRule> dealing_;
    std::vector<std::unique_ptr<SelectorThread>> threads_;
    std::unique_ptr<SelectorThread> acceptor_;  // null: the first of threads_
    std::vector<SelectorThread*> all_;
    std::optional<Rebalancer> rebalancer_;
    bool started_ = false;
};

}  // namespace nio
