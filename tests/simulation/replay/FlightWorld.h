// One dispatcher with the acceptor and the raw handlers of echo-server on the simulated kernel, to
// which the same happens, turn by turn, as to one whose flight was recorded: the same connections
// come, the same descriptors are ready in the same order, they bring the same bytes and ends, and
// have the same room for output.
//
// Thread: the one that calls. One at a time.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>

#include "simulation/Machine.h"
#include "simulation/replay/Flight.h"

namespace simulation {

class FlightWorld {
  public:
    explicit FlightWorld(const Flight& flight);
    ~FlightWorld();

    void play(std::size_t turn);
    // How the dispatcher's own recorder tells it: what it did after all was prepared.
    Flight fared();
    // What the machine found wrong; empty: nothing.
    const std::string& failure() const { return journal_.failure(); }

  private:
    class Arrivals;
    struct Peer {
        std::shared_ptr<Connection> connection{};
        int fd = -1;  // of the server
        bool finished = false;
    };
    // What of a connection is ready in the turn.
    struct Ready {
        std::size_t connection;  // FlightEvent::nobody: the listener
        std::uint32_t events;
    };

    void comeAll(const FlightTurn& turn);
    void comeByTask(std::size_t number);
    void enter(std::size_t number, nio::SocketChannel channel, nio::ConnectionPermit permit)
        NIO_REQUIRES(nio::onDispatcher);
    void bring(const FlightEvent& event, std::size_t turn);
    void limitOutput(const FlightTurn& turn);
    bool bringsMore(std::size_t connection, std::size_t afterTurn) const;
    void select(const FlightTurn& turn);
    int descriptorOf(std::size_t connection) const;
    void arrange(const Epoll& epoll, std::vector<Machine::Ready>& ready) const;
    void deliverAll();
    void readAll();
    nio::SelectorThread& thread() { return group_[0]; }

    const Flight& flight_;
    Journal journal_{false};
    Faults faults_;
    Machine machine_;
    nio::SelectorThreadGroup group_;
    nio::SocketAddress address_{};
    int listener_ = -1;
    nio::UniqueFd back_;  // where those come in that another dispatcher has accepted
    nio::SocketAddress backAddress_{};
    std::vector<Peer> peers_;
    std::deque<std::size_t> accepted_;  // whom the acceptor finds next
    std::vector<Ready> ready_;
    std::size_t prepared_ = 0;  // turns
    nio::TimePoint began_{};
};

}  // namespace simulation
