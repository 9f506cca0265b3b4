// One run: a scenario on the simulated kernel, with one fault at most, and what must hold.
//
// Nothing is left to chance: clients, network and dispatchers take their turns in rounds; time
// passes when nobody has anything to do. What must hold, whatever fails:
//  - what a client gets back is a prefix of what it has sent, and all of it unless its connection
//    is the one that the fault has hit: one fault costs one connection at most;
//  - nobody waits for ever, and no dispatcher spins or stops by itself;
//  - a client that comes afterwards is served;
//  - a task that was accepted runs once, and a question is answered once;
//  - both halves of a connection with nio::on are told their end;
//  - the drain ends; who is connected then gets a FIN behind what came back, and no RST, unless it
//    is the one that the fault has hit;
//  - at the end no descriptor, deadline, connection or block of memory is left.
// Where the server could not be set up, that was said by an exception or an error, and nothing is
// left either.
//
// Thread: the one of the run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/ConnectionDealer.h>

#include "simulation/Machine.h"
#include "torture/Dialler.h"
#include "torture/Injection.h"
#include "torture/Listener.h"
#include "torture/Scenario.h"

namespace torture {

struct Outcome {
    std::string failure;  // empty: none
    bool hasStruck = false;
    bool wasRefused = false;  // the server was not set up
    std::array<std::size_t, callCount> calls{};
    std::size_t allocations = 0;
};

class World {
  public:
    // `failingAllocation`: the nth, from 1; 0: none.
    static Outcome run(const Scenario& scenario, const Fault& fault, std::size_t failingAllocation,
                       bool prints);

  private:
    // A connection's handler: alive as long as its descriptor is open, which it owns.
    struct Link {
        nio::StreamHandler* handler;
        int fd;
        std::uint64_t serial;
    };

    World(const Scenario& scenario, const Fault& fault, bool prints);
    void live();

    // The server. False: refused.
    bool setUp();
    void openAcceptor();
    nio::SelectorThreadGroupOptions groupOptions();
    nio::HandlerFactory makeHandlers();
    nio::HandlerFactory makeCrossing();
    void link(nio::StreamHandler& handler);
    bool isAlive(const Link& link);
    void requestDrain();
    void tearDown();
    void stopAtOnce();

    // The rounds.
    void runClients();
    void serveOneMore();
    bool listenerIsLost();
    void runDrain();
    void hearTheEnd();
    bool goesOn() const;
    void round();
    void turnAll();
    bool isAwake(std::size_t dispatcher) const;
    void deliverAll();
    void act();
    void storm();
    void ask(nio::SelectorThread& other, std::size_t number) NIO_REQUIRES(nio::onDispatcher);
    void ran(std::size_t task) { ++taskRuns_[task]; }
    void moveAll();
    void move(const Link& link, std::size_t to);
    bool letTimePass();

    void checkServed();
    void checkEnd();
    void checkDrained();
    bool areClientsDone() const;
    bool areAllDone() const;
    bool isStopped() const;
    bool mayFail() const;
    void fail(const std::string& what) { journal_.fail(what); }
    std::string whatHangs() const;

    const Scenario& scenario_;
    simulation::Journal journal_;
    simulation::Faults noFaults_{0, std::nullopt};
    simulation::Machine machine_;
    Injection injection_;
    nio::SocketAddress address_{};
    std::shared_ptr<Listener> listener_;
    std::vector<Link> links_;
    std::vector<std::optional<int>> epolls_;  // of each dispatcher, if it waited in its last turn
    std::vector<unsigned char> taskRuns_;
    std::size_t openHalves_ = 0;  // of connections with nio::on
    std::unique_ptr<nio::SelectorThreadGroup> group_;
    std::unique_ptr<Dialler> dialler_;
    std::vector<Client> clients_;
    std::size_t rounds_ = 0;
    std::size_t jumps_ = 0;
    std::size_t reported_ = 0;  // failures
    bool refused_ = false;      // by the error handler of a registration
    bool drains_ = false;
};

}  // namespace torture
