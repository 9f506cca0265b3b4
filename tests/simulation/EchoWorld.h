// The code under test: the library's dispatchers with the handlers of echo-server on a simulated
// kernel, and what must hold for them at any time.
//
// Thread: the one of the run.
#pragma once

#include <memory>
#include <vector>

#include <nio/connection/StreamHandler.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>
#include <nio/net/ConnectionDealer.h>

#include "simulation/Machine.h"
#include "simulation/Peer.h"
#include "simulation/Scenario.h"
#include "simulation/WatchedCrossing.h"
#include "simulation/WatchedListener.h"

namespace simulation {

class EchoWorld {
  public:
    EchoWorld(const Scenario& scenario, Machine& machine);
    ~EchoWorld();

    const ServerState& server() const { return server_; }
    std::size_t size() const { return group_->size(); }

    // A dispatcher whose wait would not have ended yet sleeps.
    bool isAwake(std::size_t dispatcher) const;
    bool someoneIsAwake() const;
    // One turn of one dispatcher.
    void turn(std::size_t dispatcher);
    // What another thread might do. False: refused.
    bool post();
    bool move();
    void requestDrain();

    bool isDraining() const { return server_.drainBegan.has_value(); }
    bool isStopped() const;
    bool isTurning() const { return turning_ != nobody; }
    // The dispatcher that sleeps now must have been woken if it has work.
    void checkWakeUp(int epoll) const;
    // A dispatcher lets events gather for so long.
    void checkPause(std::chrono::nanoseconds time);
    // When all is over: nothing may be left. Destroys the dispatchers.
    void checkEnd();

  private:
    static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

    // A connection's handler: alive as long as its descriptor is open, which it owns.
    struct Link {
        nio::StreamHandler* handler;
        int fd;
        std::uint64_t serial;
        std::shared_ptr<Crossed> crossed;  // with nio::on; the handler is the front half
        std::uint64_t uses = 0;
        std::size_t starves = 0;  // turns of its dispatcher, ready and not served
    };
    // A task that was posted by handle, and accepted.
    struct Waiting {
        std::size_t number;
        Link link;
        const nio::SelectorThread* home;
        std::size_t turnsAtHome = 0;
        std::size_t turnsThere = 0;  // where the channel is
    };
    struct Posts {
        std::vector<unsigned char> runs;  // of each that was accepted
        std::size_t byHandle = 0;
        std::size_t ranByHandle = 0;
        std::vector<Waiting> waiting;
    };

    nio::HandlerFactory makeHandlers();
    nio::HandlerFactory watched(nio::HandlerFactory factory);
    nio::HandlerFactory crossing();
    nio::SelectorThreadGroupOptions groupOptions();
    void link(nio::StreamHandler& handler, std::shared_ptr<Crossed> crossed = nullptr);
    bool isAlive(const Link& link);
    Link* anyLink();
    bool postByHandle(const Link& link);
    void checkBuffers();
    void checkCrossing(const Link& link);
    void checkHalves(const nio::SelectorThread& thread);
    void checkFairness(const nio::SelectorThread& thread);
    std::size_t mostTurnsWithout() const;
    bool isWaiting(const Link& link) const;
    void checkHandles(const nio::SelectorThread& thread);
    void checkPosts();
    void checkDrain();
    void fail(const std::string& what) const { machine_.journal().fail(what); }

    const Scenario& scenario_;
    Machine& machine_;
    Random random_;
    std::shared_ptr<WatchedListener> listener_;
    Posts posts_;
    std::vector<Link> links_;
    std::vector<std::shared_ptr<Crossed>> crossings_;
    std::size_t openHalves_ = 0;              // of connections with nio::on
    std::vector<std::optional<int>> epolls_;  // of each dispatcher, once it has waited
    std::unique_ptr<nio::SelectorThreadGroup> group_;
    ServerState server_;
    std::size_t turning_ = nobody;
};

}  // namespace simulation
