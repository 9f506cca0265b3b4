// Somebody at the other end of a connection: an echo client of a certain character. It checks that
// what comes back is what it has sent, and that the connection ends as it could expect.
//
// Thread: the one of the run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "simulation/Machine.h"
#include "simulation/Random.h"
#include "simulation/Scenario.h"

namespace simulation {

// What a peer may know of the server.
struct ServerState {
    nio::SocketAddress address{};
    std::optional<nio::TimePoint> drainBegan{};
};

class Peer {
  public:
    enum class Kind {
        halfCloses,  // says FIN behind all, reads to the end
        closes,      // reads all, closes
        lazy,        // writes all before it reads, where it can
        pauses,      // thinks between two pieces
        dozes,       // writes all, and reads a little now and then
        silent,      // sends nothing, waits for the end
        resets,      // goes at some point, by RST
        leaves,      // goes at some point, by close
        neverReads,
    };

    Peer(std::size_t number, const Scenario& scenario, const ServerState& server, Machine& machine);

    bool staysForEver() const { return kind_ == Kind::neverReads; }
    // One thing that it does now, if there is any; all that it can do if it is `eager`.
    void step(bool eager = false);
    bool isDone() const { return done_; }
    // Only a server that stops ends it.
    bool waitsForEver() const {
        const bool endsWhenIdle = scenario_.stream.idleTimeout.count() > 0;
        return connection_ != nullptr &&
               ((kind_ == Kind::silent && !endsWhenIdle) || kind_ == Kind::neverReads);
    }
    // It does nothing until then.
    std::optional<nio::TimePoint> wakesAt() const { return wakesAt_; }
    // "peer 3 (lazy): 10 of 400 sent, 7 back".
    std::string toString() const;

  private:
    void makeStream(std::size_t most);
    void addPacket(std::size_t size);
    void connect();
    void read();
    void write();
    void finish();
    void end(bool reset);
    void checkEnd(bool reset);
    bool mayEndEarly(bool reset) const;
    bool isCooperative() const { return kind_ < Kind::resets; }
    bool hasSentAll() const { return sent_ == stream_.size(); }
    bool hasAll() const { return back_ == stream_.size(); }
    void fail(const std::string& what);
    void close(bool reset);

    const std::size_t number_;
    const Scenario& scenario_;
    const ServerState& server_;
    Machine& machine_;
    Random random_;
    Kind kind_;
    nio::Bytes stream_;
    std::size_t sent_ = 0;
    std::size_t back_ = 0;
    std::size_t goesAfter_ = 0;  // sent bytes, the impolite ones
    std::shared_ptr<Connection> connection_;
    std::optional<nio::TimePoint> wakesAt_;
    bool finSent_ = false;
    bool done_ = false;
};

}  // namespace simulation
