// One simulated TCP connection, as the programs at its two ends see it: two byte streams with
// bounded buffers, FIN behind the bytes, RST that overtakes them. Nothing arrives by itself:
// deliver() is one step of the network.
//
// What is not simulated: packets, retransmission, urgent data, half-open connections.
//
// Thread: the one of the run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include <nio/base/Bytes.h>
#include <nio/sys/Clock.h>
#include <nio/sys/IoResult.h>
#include <nio/sys/SocketAddress.h>

#include "simulation/Random.h"

namespace simulation {

enum class Side : std::uint8_t { client, server };

inline Side otherThan(Side side) {
    return side == Side::client ? Side::server : Side::client;
}

struct Readiness {
    bool input = false;
    bool output = false;
    bool error = false;
    bool hangUp = false;
};

class Connection {
  public:
    struct Buffers {
        std::size_t send;
        std::size_t receive;
    };

    Connection(std::uint64_t number, Buffers client, Buffers server);

    std::uint64_t number() const { return number_; }

    nio::IoResult receive(Side side, std::span<nio::Byte> into);
    nio::IoResult send(Side side, nio::ByteView bytes);
    // False: the connection is gone (ENOTCONN).
    bool shutdownWrite(Side side);
    // Sends FIN, or RST where input was not read or `reset` says so.
    void close(Side side, bool reset);
    std::errc takeError(Side side) { return std::exchange(at(side).error, std::errc{}); }
    // Nobody listens: the client hears of it by its readiness.
    void refuse();
    // It ends for both, by RST for the other side.
    void breakOff(Side side) { sendReset(side); }

    Readiness readiness(Side side) const;
    std::size_t roomToSend(Side side) const;
    std::size_t unread(Side side) const { return flowTo(side).arrived.size(); }
    // FIN counts as one.
    std::size_t undelivered(Side side) const {
        const Flow& flow = flowFrom(side);
        return flow.underWay.size() + (flow.finSent && !flow.finArrived && !isDead(side) ? 1 : 0);
    }
    // From now on, of what is on its way and not of what was sent before.
    void limitSending(Side side, std::size_t bytes) { flowFrom(side).sendLimit = bytes; }
    bool isOpen(Side side) const { return at(side).open; }
    bool isDead(Side side) const { return at(side).dead; }

    // The network. One step brings some bytes, or the FIN, or an RST.
    bool canDeliver(Side from) const;
    void deliver(Side from, Random& random);

    // Why the peer may see an end that it could not expect; empty: it may not.
    void excuse(const char* why) {
        if (excuse_.empty()) excuse_ = why;
    }
    const std::string& excuse() const { return excuse_; }

    // Bytes have passed between the server's program and its kernel.
    void use(nio::TimePoint now) {
        if (lastUse_ != now) usedBefore_ = std::exchange(lastUse_, now);
    }
    // How long nothing had passed when the server closed it, but for what it sent right before.
    nio::Clock::duration idleAtClose() const {
        return closedAt - (lastUse_ == closedAt ? usedBefore_ : lastUse_);
    }
    nio::TimePoint closedAt{};
    std::optional<nio::TimePoint> serverFinAt{};
    bool wasServed = false;       // its handler was registered
    bool isUnanswered = false;    // its listener was silent
    nio::SocketAddress source{};  // of one that the process has dialled

  private:
    struct Flow {
        std::deque<nio::Byte> underWay;  // taken by the sender's kernel
        std::deque<nio::Byte> arrived;
        std::size_t sendLimit = 0;
        std::size_t receiveLimit = 0;
        bool finSent = false;
        bool finArrived = false;
    };
    struct End {
        bool open = true;
        bool dead = false;  // RST was sent or received
        bool resetComes = false;
        std::errc error{};
    };

    static std::size_t index(Side side) { return static_cast<std::size_t>(side); }
    End& at(Side side) { return ends_[index(side)]; }
    const End& at(Side side) const { return ends_[index(side)]; }
    Flow& flowFrom(Side side) { return flows_[index(side)]; }
    const Flow& flowFrom(Side side) const { return flows_[index(side)]; }
    Flow& flowTo(Side side) { return flows_[index(otherThan(side))]; }
    const Flow& flowTo(Side side) const { return flows_[index(otherThan(side))]; }
    // Both have said FIN, and both have heard it.
    bool isOver() const { return flows_[0].finArrived && flows_[1].finArrived; }
    void sendReset(Side from);
    void resetArrives(Side side);

    const std::uint64_t number_;
    std::array<Flow, 2> flows_;  // by the side that sends
    std::array<End, 2> ends_;
    std::string excuse_;
    nio::TimePoint lastUse_{};
    nio::TimePoint usedBefore_{};
};

}  // namespace simulation
