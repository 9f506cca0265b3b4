// One end of an SMPP connection outside of the process: whole PDUs out and in, in pieces of any
// size.
//
// Thread: the one of the run.
#pragma once

#include <deque>
#include <memory>

#include <nio/base/Bytes.h>

#include "simulation/Machine.h"

namespace simulation {

class SmppWire {
  public:
    SmppWire(Machine& machine, std::shared_ptr<Connection> connection, Side side)
        : machine_(machine), connection_(std::move(connection)), side_(side) {}

    void send(nio::ByteView pdu) { out_.insert(out_.end(), pdu.begin(), pdu.end()); }
    // Some bytes go, some come; all that can if it is `eager`.
    void pump(Random& random, bool eager);
    std::optional<nio::Bytes> next();
    bool hasSentAll() const { return out_.empty(); }
    // The other side has closed, or it is broken; what has arrived before is still there.
    bool isOver() const { return over_; }
    void close(bool reset);
    Connection& connection() { return *connection_; }

  private:
    void write(std::size_t most);
    void read(std::size_t most);

    Machine& machine_;
    std::shared_ptr<Connection> connection_;
    Side side_;
    nio::Bytes out_;
    nio::Bytes in_;
    bool over_ = false;
    bool closed_ = false;
};

}  // namespace simulation
