// M dispatchers, no workers: several SelectorThreads among which connections are dealt out.
//
// How many? One per CPU (the default) when handlers never block. The article's advice for handlers
// that do block now and then (a disk, a database) is 4 to 5 per CPU, so that another dispatcher is
// ready to take over the idle processor; better is to give what blocks a dispatcher of its own.
//
// Thread: any, except construction and destruction.
// Lifetime: must outlive its registrations and every thread that posts to it. The destructor aborts
// what is left and joins; it must not run on one of the dispatchers.
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

    // Starts a thread for each dispatcher. Throws std::system_error if one cannot be created; all
    // dispatchers then close at once. A second call only throws std::logic_error.
    void start();

    std::size_t size() const { return threads_.size(); }
    SelectorThread& operator[](std::size_t index) const { return *threads_[index]; }
    // The dispatcher for listeners: the acceptor's own if there is one, else the first.
    SelectorThread& acceptor() const { return acceptor_ ? *acceptor_ : *threads_.front(); }
    bool hasAcceptorThread() const { return acceptor_ != nullptr; }
    bool listensEverywhere() const { return dealing_->listensEverywhere(); }
    // The dispatcher for the next connection, by the dealing rule.
    SelectorThread& next() { return *threads_[dealing_->choose(threads_)]; }
    std::string_view selectorName() const { return threads_.front()->registry().selectorName(); }
    std::size_t connectionCount() const;

    // Drains all dispatchers. First every listener accepts its backlog and closes; when all dealt
    // connections have arrived, the connections drain, and only then the deadline starts. A
    // dispatcher whose listeners do not close within the deadline (it is stuck in a callback) is
    // not waited for, so the others take at most twice the deadline. Never fails.
    void requestClose(const DrainOptions& options = {});
    // What the destructor does, for an owner that tasks refer to: closes all at once, joins, and
    // runs the remaining tasks (on this thread, for dispatchers without one). Not on a dispatcher
    // of the group.
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
