// One end of a connection outside of the process: octets go out and come in, in pieces of any size.
//
// Thread: the one of the run.
#pragma once

#include <memory>

#include <nio/base/Bytes.h>

#include "simulation/Machine.h"

namespace simulation {

class Wire {
  public:
    Wire(Machine& machine, std::shared_ptr<Connection> connection, Side side)
        : machine_(machine), connection_(std::move(connection)), side_(side) {}

    void send(nio::ByteView octets) { out_.insert(out_.end(), octets.begin(), octets.end()); }
    // Some bytes go, some come; all that can if it is `eager`.
    void pump(Random& random, bool eager);
    bool hasSentAll() const { return out_.empty(); }
    // The other side has closed, or it is broken; what has arrived before is still there.
    bool isOver() const { return over_; }
    void close(bool reset);
    Connection& connection() { return *connection_; }

  protected:
    nio::Bytes in_;  // what is not taken yet

  private:
    void write(std::size_t most);
    void read(std::size_t most);

    Machine& machine_;
    std::shared_ptr<Connection> connection_;
    Side side_;
    nio::Bytes out_;
    bool over_ = false;
    bool closed_ = false;
};

}  // namespace simulation
