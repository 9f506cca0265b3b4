// The simulated kernel, part one: stream sockets.
#include <nio/sys/Kernel.h>

#include <algorithm>

#include "simulation/Machine.h"

namespace nio::kernel {

namespace {

using simulation::Descriptor;
using simulation::Fault;
using simulation::Machine;

Machine& machine() {
    return Machine::current();
}

bool strikes(Fault fault) {
    return machine().faults().strikes(fault);
}

Result<Descriptor*> known(int fd, const char* call) {
    Descriptor* found = machine().find(fd);
    if (found == nullptr) return Error(std::errc::bad_file_descriptor, call);
    return found;
}

Result<void> onlyKnown(int fd, const char* call) {
    const Result<Descriptor*> found = known(fd, call);
    if (!found) return found.error();
    return {};
}

IoResult failed(std::errc code) {
    return IoResult::failed(code);
}

// The connection is of no further use, through no fault of the program.
IoResult breaks(simulation::Connection& connection, simulation::Side side, std::errc code) {
    connection.excuse("a fault has broken it");
    connection.breakOff(side);
    return failed(code);
}

std::span<Byte> shortened(std::span<Byte> into) {
    if (into.size() < 2 || !strikes(Fault::shortReceive)) return into;
    return into.first(machine().faults().amount(std::min<std::size_t>(into.size(), 64)));
}

ByteView shortened(ByteView bytes) {
    if (bytes.size() < 2 || !strikes(Fault::shortSend)) return bytes;
    return bytes.first(machine().faults().amount(std::min<std::size_t>(bytes.size(), 64)));
}

IoResult moved(simulation::Connection& connection, const char* what, IoResult result) {
    const bool done = result.isDone();
    machine().journal().note(what, connection.number(),
                             done ? result.bytes : static_cast<std::uint64_t>(result.code));
    if (result.status == IoStatus::wouldBlock) return result;
    machine().countProgress();
    if (done) connection.use(machine().now());
    return result;
}

}  // namespace

Result<UniqueFd> openStreamSocket(SocketAddress::Family) {
    machine().countSocket();
    const int fd = machine().add({});
    if (fd < 0) return Error(std::errc::too_many_files_open, "socket");
    return UniqueFd(fd);
}

Result<void> bind(int fd, const SocketAddress& address) {
    const Result<Descriptor*> found = known(fd, "bind");
    if (!found) return found.error();
    if (machine().listenerAt(address) != nullptr) {
        return Error(std::errc::address_in_use, "bind " + address.toString());
    }
    const std::uint16_t port = address.port() == 0 ? machine().freePort() : address.port();
    found.value()->bound = address.withPort(port);
    return {};
}

Result<void> bindSource(int fd, const SocketAddress& address) {
    return bind(fd, address);
}

Result<void> listen(int fd, int backlog) {
    const Result<Descriptor*> found = known(fd, "listen");
    if (!found) return found.error();
    found.value()->kind = Descriptor::Kind::listener;
    found.value()->listener = std::make_unique<simulation::Listener>(
        simulation::Listener{found.value()->bound, static_cast<std::size_t>(std::max(backlog, 0))});
    return {};
}

Result<SocketAddress> localAddress(int fd) {
    const Result<Descriptor*> found = known(fd, "getsockname");
    if (!found) return found.error();
    return found.value()->bound;
}

Result<SocketAddress> peerAddress(int fd) {
    const Result<Descriptor*> found = known(fd, "getpeername");
    if (!found) return found.error();
    if (found.value()->connection == nullptr) return Error(std::errc::not_connected, "getpeername");
    return SocketAddress::loopback4(
        static_cast<std::uint16_t>(found.value()->connection->number()));
}

Result<void> setReuseAddress(int fd, bool) {
    return onlyKnown(fd, "setsockopt");
}
Result<void> setReusePort(int fd, bool) {
    return onlyKnown(fd, "setsockopt");
}
Result<void> setV6Only(int fd, bool) {
    return onlyKnown(fd, "setsockopt");
}
Result<void> setKeepAlive(int fd, std::chrono::seconds) {
    return onlyKnown(fd, "setsockopt");
}
Result<void> setSendBufferBytes(int fd, int) {
    return onlyKnown(fd, "setsockopt");
}
Result<void> setReceiveBufferBytes(int fd, int) {
    return onlyKnown(fd, "setsockopt");
}

Result<void> setNoDelay(int fd, bool) {
    if (strikes(Fault::noDelayFails)) return Error(std::errc::invalid_argument, "setsockopt");
    return onlyKnown(fd, "setsockopt");
}

Result<void> setResetOnClose(int fd) {
    const Result<Descriptor*> found = known(fd, "setsockopt");
    if (!found) return found.error();
    found.value()->resetOnClose = true;
    return {};
}

Accepted accept(int fd) {
    Descriptor& descriptor = machine().used(fd);
    if (descriptor.listener == nullptr) return {failed(std::errc::invalid_argument), {}};
    auto& waiting = descriptor.listener->waiting;
    if (waiting.empty()) return {IoResult::wouldBlock(), {}};
    std::errc trouble{};
    if (strikes(Fault::noDescriptor)) trouble = std::errc::too_many_files_open;
    if (strikes(Fault::noBuffer)) trouble = std::errc::no_buffer_space;
    Descriptor accepted;
    accepted.kind = Descriptor::Kind::stream;
    accepted.connection = waiting.front();
    const int number = trouble == std::errc{} ? machine().add(std::move(accepted)) : -1;
    if (number < 0 && trouble == std::errc{}) trouble = std::errc::too_many_files_open;
    machine().journal().note("accept", waiting.front()->number(),
                             static_cast<std::uint64_t>(trouble));
    if (number < 0) {
        machine().turnsAway = true;
        return {failed(trouble), {}};
    }
    machine().countProgress();
    if (machine().turnsAway) waiting.front()->excuse("no descriptor was left");
    machine().turnsAway = false;
    waiting.pop_front();
    return {IoResult::done(0), UniqueFd(number)};
}

IoResult connect(int fd, const SocketAddress& address) {
    Descriptor& descriptor = machine().used(fd);
    Machine::Dialled dialled = machine().dial(address);
    if (dialled.connection == nullptr) {
        const auto& limits = machine().limits();
        dialled.connection =
            std::make_shared<simulation::Connection>(0, limits.client, limits.server);
        // A full backlog answers nothing; the simulated client is told that nobody listens.
        dialled.connection->refuse();
    }
    dialled.connection->source = descriptor.bound;
    descriptor.kind = Descriptor::Kind::stream;
    descriptor.connection = std::move(dialled.connection);
    descriptor.side = simulation::Side::client;
    return IoResult::wouldBlock();
}

IoResult connectOutcome(int fd) {
    Descriptor& descriptor = machine().used(fd);
    if (descriptor.connection == nullptr) return failed(std::errc::not_connected);
    const std::errc error = descriptor.connection->takeError(descriptor.side);
    return error == std::errc{} ? IoResult::done(0) : failed(error);
}

IoResult receive(int fd, std::span<Byte> into) {
    Descriptor& descriptor = machine().used(fd);
    if (descriptor.connection == nullptr) return failed(std::errc::bad_file_descriptor);
    simulation::Connection& connection = *descriptor.connection;
    if (strikes(Fault::receiveBlocks)) return IoResult::wouldBlock();
    if (strikes(Fault::receiveFails)) {
        return breaks(connection, descriptor.side, std::errc::timed_out);
    }
    return moved(connection, "receive", connection.receive(descriptor.side, shortened(into)));
}

IoResult send(int fd, ByteView bytes) {
    Descriptor& descriptor = machine().used(fd);
    if (descriptor.connection == nullptr) return failed(std::errc::bad_file_descriptor);
    simulation::Connection& connection = *descriptor.connection;
    if (strikes(Fault::sendBlocks)) return IoResult::wouldBlock();
    if (strikes(Fault::sendFails)) {
        return breaks(connection, descriptor.side, std::errc::no_buffer_space);
    }
    return moved(connection, "send", connection.send(descriptor.side, shortened(bytes)));
}

IoResult sendPieces(int fd, std::span<const iovec> pieces) {
    Bytes all;
    for (const iovec& piece : pieces) {
        const auto* begin = static_cast<const Byte*>(piece.iov_base);
        all.insert(all.end(), begin, begin + piece.iov_len);
    }
    return send(fd, all);
}

Result<void> shutdownWrite(int fd) {
    Descriptor& descriptor = machine().used(fd);
    machine().journal().note("shutdown", static_cast<std::uint64_t>(fd));
    if (descriptor.connection != nullptr && descriptor.connection->shutdownWrite(descriptor.side)) {
        descriptor.connection->serverFinAt = machine().now();
        machine().countProgress();
        return {};
    }
    return Error(std::errc::not_connected, "shutdown");
}

std::size_t undeliveredBytes(int fd) {
    const Descriptor& descriptor = machine().used(fd);
    return descriptor.connection == nullptr ? 0
                                            : descriptor.connection->undelivered(descriptor.side);
}

// It cannot tell.
std::chrono::milliseconds establishedFor(int) {
    return {};
}

void close(int fd) noexcept {
    machine().close(fd);
}

}  // namespace nio::kernel
