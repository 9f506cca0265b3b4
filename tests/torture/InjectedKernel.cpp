// nio::kernel as this program has it: each call is counted, fails if it is the one, and is else the
// simulated kernel's.
#include <nio/sys/Kernel.h>

#include "simulation/Memory.h"
#include "torture/Injection.h"
#include "torture/SimulatedKernel.h"

namespace nio::kernel {

namespace {

using simulation::Plentiful;
using torture::Call;
namespace below = simulatedKernel;

std::optional<std::errc> strikes(Call call) {
    const Plentiful memory;
    return torture::Injection::current().strikes(call);
}

template <class F>
auto tried(Call call, F&& passOn) -> decltype(passOn()) {
    if (const auto error = strikes(call)) return Error(*error, torture::nameOf(call));
    const Plentiful memory;
    return passOn();
}

IoResult failed(std::errc error) {
    if (error == std::errc::resource_unavailable_try_again) return IoResult::wouldBlock();
    return IoResult::failed(error);
}

template <class F>
IoResult triedIo(Call call, F&& passOn) {
    if (const auto error = strikes(call)) return failed(*error);
    const Plentiful memory;
    return passOn();
}

Call callOf(EpollChange change) {
    switch (change) {
        case EpollChange::add: return Call::epollAdd;
        case EpollChange::modify: return Call::epollModify;
        case EpollChange::remove: break;
    }
    return Call::epollRemove;
}

}  // namespace

Result<UniqueFd> openStreamSocket(SocketAddress::Family family) {
    return tried(Call::openStreamSocket, [&] { return below::openStreamSocket(family); });
}
Result<void> bind(int fd, const SocketAddress& address) {
    return tried(Call::bind, [&] { return below::bind(fd, address); });
}
Result<void> bindSource(int fd, const SocketAddress& address) {
    return tried(Call::bindSource, [&] { return below::bindSource(fd, address); });
}
Result<void> listen(int fd, int backlog) {
    return tried(Call::listen, [&] { return below::listen(fd, backlog); });
}
Result<SocketAddress> localAddress(int fd) {
    return tried(Call::localAddress, [&] { return below::localAddress(fd); });
}
Result<SocketAddress> peerAddress(int fd) {
    return tried(Call::peerAddress, [&] { return below::peerAddress(fd); });
}
Result<void> setReuseAddress(int fd, bool on) {
    return tried(Call::setReuseAddress, [&] { return below::setReuseAddress(fd, on); });
}
Result<void> setReusePort(int fd, bool on) {
    return tried(Call::setReusePort, [&] { return below::setReusePort(fd, on); });
}
Result<void> setV6Only(int fd, bool on) {
    return tried(Call::setV6Only, [&] { return below::setV6Only(fd, on); });
}
Result<void> setNoDelay(int fd, bool on) {
    return tried(Call::setNoDelay, [&] { return below::setNoDelay(fd, on); });
}
Result<void> setKeepAlive(int fd, std::chrono::seconds idle) {
    return tried(Call::setKeepAlive, [&] { return below::setKeepAlive(fd, idle); });
}
Result<void> setSendBufferBytes(int fd, int bytes) {
    return tried(Call::setSendBufferBytes, [&] { return below::setSendBufferBytes(fd, bytes); });
}
Result<void> setReceiveBufferBytes(int fd, int bytes) {
    return tried(Call::setReceiveBufferBytes,
                 [&] { return below::setReceiveBufferBytes(fd, bytes); });
}
Result<void> setResetOnClose(int fd) {
    return tried(Call::setResetOnClose, [&] { return below::setResetOnClose(fd); });
}

Accepted accept(int fd) {
    if (const auto error = strikes(Call::accept)) return {failed(*error), {}};
    const Plentiful memory;
    below::Accepted accepted = below::accept(fd);
    return {accepted.result, std::move(accepted.fd)};
}

// Here EAGAIN is a failure, see Kernel.cpp.
IoResult connect(int fd, const SocketAddress& address) {
    if (const auto error = strikes(Call::connect)) {
        const bool isUnderWay = *error == std::errc::operation_in_progress ||
                                *error == std::errc::connection_already_in_progress;
        return isUnderWay ? IoResult::wouldBlock() : IoResult::failed(*error);
    }
    const Plentiful memory;
    return below::connect(fd, address);
}
IoResult connectOutcome(int fd) {
    return triedIo(Call::connectOutcome, [&] { return below::connectOutcome(fd); });
}
IoResult receive(int fd, std::span<Byte> into) {
    return triedIo(Call::receive, [&] { return below::receive(fd, into); });
}
IoResult send(int fd, ByteView bytes) {
    return triedIo(Call::send, [&] { return below::send(fd, bytes); });
}
IoResult sendPieces(int fd, std::span<const iovec> pieces) {
    return triedIo(Call::sendPieces, [&] { return below::sendPieces(fd, pieces); });
}
Result<void> shutdownWrite(int fd) {
    return tried(Call::shutdownWrite, [&] { return below::shutdownWrite(fd); });
}
// It has no error: 0 is one of its answers.
std::size_t undeliveredBytes(int fd) {
    const Plentiful memory;
    return below::undeliveredBytes(fd);
}
std::chrono::milliseconds establishedFor(int fd) {
    const Plentiful memory;
    return below::establishedFor(fd);
}
void close(int fd) noexcept {
    const Plentiful memory;
    below::close(fd);
}

// --- readiness ------------------------------------------------------------------------------

Result<UniqueFd> createEpoll() {
    return tried(Call::createEpoll, [&] { return below::createEpoll(); });
}
Result<void> changeEpoll(int epoll, EpollChange change, int fd, std::uint32_t events, void* data) {
    const auto same = static_cast<below::EpollChange>(change);
    const auto error = strikes(callOf(change));
    const Plentiful memory;
    // These two say that it is not watched.
    const bool isOut =
        change == EpollChange::remove &&
        (error == std::errc::bad_file_descriptor || error == std::errc::no_such_file_or_directory);
    Result<void> changed{};
    if (!error || isOut) changed = below::changeEpoll(epoll, same, fd, events, data);
    return error ? Result<void>(Error(*error, "epoll_ctl")) : changed;
}
Result<std::size_t> waitEpoll(int epoll, std::span<epoll_event> events, WaitTime wait) {
    return tried(Call::waitEpoll, [&] { return below::waitEpoll(epoll, events, wait); });
}
Result<std::size_t> waitPoll(std::span<pollfd> entries, WaitTime wait) {
    const Plentiful memory;
    return below::waitPoll(entries, wait);
}
Result<UniqueFd> createEvent() {
    return tried(Call::createEvent, [&] { return below::createEvent(); });
}
void signalEvent(int fd) noexcept {
    const Plentiful memory;
    below::signalEvent(fd);
}
void clearEvent(int fd) noexcept {
    const Plentiful memory;
    below::clearEvent(fd);
}

Result<void> catchSignals(std::initializer_list<int> signals) {
    return below::catchSignals(signals);
}
Result<UniqueFd> createSignalDescriptor(std::initializer_list<int> signals) {
    return tried(Call::createSignalDescriptor,
                 [&] { return below::createSignalDescriptor(signals); });
}
void forgetSignalDescriptor(int fd) noexcept {
    below::forgetSignalDescriptor(fd);
}
int readSignal(int fd) noexcept {
    return below::readSignal(fd);
}

TimePoint now() noexcept {
    return below::now();
}
std::chrono::nanoseconds suspendedTime() noexcept {
    return below::suspendedTime();
}
std::chrono::nanoseconds threadCpuTime() noexcept {
    return below::threadCpuTime();
}
int threadCpuClock() noexcept {
    return below::threadCpuClock();
}
std::chrono::nanoseconds cpuTimeOf(int cpuClock) noexcept {
    return below::cpuTimeOf(cpuClock);
}
void makeWaitsPrecise() noexcept {
    below::makeWaitsPrecise();
}
void sleepFor(std::chrono::nanoseconds time) noexcept {
    below::sleepFor(time);
}
void yieldCpu() noexcept {
    below::yieldCpu();
}

// --- files, limits and names ----------------------------------------------------------------

Result<UniqueFd> openReserve() {
    return tried(Call::openReserve, [&] { return below::openReserve(); });
}
std::size_t descriptorLimit() noexcept {
    return below::descriptorLimit();
}

std::optional<std::string> environment(const char*) {
    return std::nullopt;
}
SocketFile inspectSocketFile(const std::string&) {
    return SocketFile::absent;
}
std::optional<FileIdentity> identifyFile(const std::string&) {
    return std::nullopt;
}
Result<void> removeFile(const std::string&) {
    return {};
}
void setModeBeforeBind(int, unsigned) noexcept {}
Result<void> setFileMode(const std::string&, unsigned) {
    return {};
}
Result<UniqueFd> lockFile(const std::string& path) {
    return Error(std::errc::function_not_supported, "flock " + path);
}
Result<std::vector<SocketAddress>> resolve(const std::string& host, std::uint16_t) {
    return Error(Errc::nameNotFound, "getaddrinfo " + host);
}

}  // namespace nio::kernel
