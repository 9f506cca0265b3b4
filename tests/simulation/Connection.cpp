#include "simulation/Connection.h"

#include <algorithm>

namespace simulation {

using nio::IoResult;

Connection::Connection(std::uint64_t number, Buffers client, Buffers server) : number_(number) {
    flowFrom(Side::client).sendLimit = client.send;
    flowFrom(Side::client).receiveLimit = server.receive;
    flowFrom(Side::server).sendLimit = server.send;
    flowFrom(Side::server).receiveLimit = client.receive;
}

// --- what the programs call -----------------------------------------------------------------

// As tcp_recvmsg: bytes that have arrived first, then the FIN, then the error, once.
IoResult Connection::receive(Side side, std::span<nio::Byte> into) {
    std::deque<nio::Byte>& arrived = flowTo(side).arrived;
    if (!arrived.empty()) {
        const std::size_t count = std::min(into.size(), arrived.size());
        const auto end = arrived.begin() + static_cast<std::ptrdiff_t>(count);
        std::copy(arrived.begin(), end, into.begin());
        arrived.erase(arrived.begin(), end);
        return IoResult::done(count);
    }
    if (flowTo(side).finArrived) return IoResult::closed();
    if (at(side).error != std::errc{}) return IoResult::failed(takeError(side));
    return at(side).dead ? IoResult::closed() : IoResult::wouldBlock();
}

IoResult Connection::send(Side side, nio::ByteView bytes) {
    if (at(side).error != std::errc{}) return IoResult::failed(takeError(side));
    Flow& flow = flowFrom(side);
    if (at(side).dead || flow.finSent) return IoResult::failed(std::errc::broken_pipe);
    const std::size_t count = std::min(bytes.size(), roomToSend(side));
    if (count == 0) return IoResult::wouldBlock();
    flow.underWay.insert(flow.underWay.end(), bytes.begin(),
                         bytes.begin() + static_cast<std::ptrdiff_t>(count));
    return IoResult::done(count);
}

bool Connection::shutdownWrite(Side side) {
    if (at(side).dead || isOver()) return false;
    flowFrom(side).finSent = true;
    return true;
}

// As tcp_close: where there is no connection any more, nothing is sent, whatever was not read.
void Connection::close(Side side, bool reset) {
    at(side).open = false;
    if (at(side).dead || isOver()) return;
    if (reset || !flowTo(side).arrived.empty()) return sendReset(side);
    flowFrom(side).finSent = true;
}

// As tcp_poll.
Readiness Connection::readiness(Side side) const {
    const End& end = at(side);
    const Flow& out = flowFrom(side);
    const Flow& in = flowTo(side);
    const bool roomy = roomToSend(side) > 0 && 2 * roomToSend(side) >= out.underWay.size();
    Readiness ready;
    ready.error = end.error != std::errc{};
    ready.hangUp = end.dead || (in.finArrived && out.finSent);
    ready.input = !in.arrived.empty() || in.finArrived || end.dead || ready.error;
    ready.output = end.dead || out.finSent || roomy || ready.error;
    return ready;
}

std::size_t Connection::roomToSend(Side side) const {
    const Flow& flow = flowFrom(side);
    return flow.sendLimit - std::min(flow.sendLimit, flow.underWay.size());
}

// --- the network ----------------------------------------------------------------------------

bool Connection::canDeliver(Side from) const {
    const Side to = otherThan(from);
    if (at(to).resetComes) return true;
    const Flow& flow = flowFrom(from);
    if (at(to).dead) return false;
    if (flow.underWay.empty()) return flow.finSent && !flow.finArrived;
    return !at(to).open || flow.arrived.size() < flow.receiveLimit;
}

void Connection::deliver(Side from, Random& random) {
    const Side to = otherThan(from);
    if (at(to).resetComes) return resetArrives(to);
    Flow& flow = flowFrom(from);
    if (flow.underWay.empty()) {
        flow.finArrived = true;
        return;
    }
    if (!at(to).open) return sendReset(to);  // nobody is there to read it
    const std::size_t room = flow.receiveLimit - flow.arrived.size();
    const std::size_t most = std::min(room, flow.underWay.size());
    const std::size_t count = random.chance(500) ? most : random.between(1, most);
    const auto end = flow.underWay.begin() + static_cast<std::ptrdiff_t>(count);
    flow.arrived.insert(flow.arrived.end(), flow.underWay.begin(), end);
    flow.underWay.erase(flow.underWay.begin(), end);
}

void Connection::refuse() {
    at(Side::client).dead = at(Side::server).dead = true;
    at(Side::server).open = false;
    at(Side::client).error = std::errc::connection_refused;
}

void Connection::sendReset(Side from) {
    at(from).dead = true;
    flowFrom(from).underWay.clear();
    flowTo(from).underWay.clear();
    if (!at(otherThan(from)).dead) at(otherThan(from)).resetComes = true;
}

// As tcp_reset: what has arrived can still be read, what was to be sent is thrown away.
void Connection::resetArrives(Side side) {
    End& end = at(side);
    end.resetComes = false;
    end.dead = true;
    const bool onlyPeerHasFinished = flowTo(side).finArrived && !flowFrom(side).finSent;
    end.error = onlyPeerHasFinished ? std::errc::broken_pipe : std::errc::connection_reset;
    flowFrom(side).underWay.clear();
}

}  // namespace simulation
