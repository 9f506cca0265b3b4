// What two connections that are piped to each other share, see Pipe.h.
//
// Thread: the dispatcher's own.
// Lifetime: that of the later of the two connections.
#pragma once

#include <array>
#include <memory>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <nio/base/ThreadRole.h>

namespace nio {

class Peer;

class Relay {
  public:
    // Nothing is relayed before begin().
    Relay(Peer& first, Peer& second) : sides_{{{&first}, {&second}}} {}

    // See Pipe.h.
    static Result<void> canRelay(const Peer& first, const Peer& second) NIO_REQUIRES(onDispatcher);
    // The relay takes control of both.
    static void begin(const std::shared_ptr<Relay>& relay) NIO_REQUIRES(onDispatcher);

    // Events of the two connections.
    void arrived(Peer& peer, ByteView bytes) NIO_REQUIRES(onDispatcher);
    void finished(Peer& peer) NIO_REQUIRES(onDispatcher);
    void crossedMark(Peer& peer, bool above) NIO_REQUIRES(onDispatcher);
    void ended(Peer& peer, bool reset) NIO_REQUIRES(onDispatcher);
    // The peer has not ended: another handler has taken its channel.
    void destroyed(Peer& peer);

  private:
    struct Side {
        Peer* peer;             // null: it has ended
        bool finished = false;  // its FIN was received after all its bytes
    };

    Side& sideOf(const Peer& peer) { return sides_[sides_[0].peer == &peer ? 0 : 1]; }
    Side& otherThan(const Side& side) { return sides_[&side == &sides_[0] ? 1 : 0]; }
    void finish(Side& side) NIO_REQUIRES(onDispatcher);
    void endOther(const Side& side, bool reset) NIO_REQUIRES(onDispatcher);

    std::array<Side, 2> sides_;
};

}  // namespace nio
