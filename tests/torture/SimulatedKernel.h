// The simulated kernel under another name: its sources are compiled with nio::kernel renamed, so
// that what stands in the place of the real kernel here (InjectedKernel*.cpp) can let a call fail,
// or pass it on to this.
//
// A function that changes there does not link any more.
#pragma once

#include <nio/sys/Kernel.h>

namespace nio::simulatedKernel {

Result<UniqueFd> openStreamSocket(SocketAddress::Family family);
Result<void> bind(int fd, const SocketAddress& address);
Result<void> bindSource(int fd, const SocketAddress& address);
Result<void> listen(int fd, int backlog);
Result<SocketAddress> localAddress(int fd);
Result<SocketAddress> peerAddress(int fd);
Result<void> setReuseAddress(int fd, bool on);
Result<void> setReusePort(int fd, bool on);
Result<void> setV6Only(int fd, bool on);
Result<void> setNoDelay(int fd, bool on);
Result<void> setKeepAlive(int fd, std::chrono::seconds idle);
Result<void> setSendBufferBytes(int fd, int bytes);
Result<void> setReceiveBufferBytes(int fd, int bytes);
Result<void> setResetOnClose(int fd);
struct Accepted {
    IoResult result;
    UniqueFd fd;
};
Accepted accept(int fd);
IoResult connect(int fd, const SocketAddress& address);
IoResult connectOutcome(int fd);
IoResult receive(int fd, std::span<Byte> into);
IoResult send(int fd, ByteView bytes);
IoResult sendPieces(int fd, std::span<const iovec> pieces);
Result<void> shutdownWrite(int fd);
std::size_t undeliveredBytes(int fd);
std::chrono::milliseconds establishedFor(int fd);
void close(int fd) noexcept;

Result<UniqueFd> createEpoll();
enum class EpollChange { add, modify, remove };
Result<void> changeEpoll(int epoll, EpollChange change, int fd, std::uint32_t events, void* data);
Result<std::size_t> waitEpoll(int epoll, std::span<epoll_event> events, kernel::WaitTime wait);
Result<std::size_t> waitPoll(std::span<pollfd> entries, kernel::WaitTime wait);
Result<UniqueFd> createEvent();
void signalEvent(int fd) noexcept;
void clearEvent(int fd) noexcept;

Result<void> catchSignals(std::initializer_list<int> signals);
Result<UniqueFd> createSignalDescriptor(std::initializer_list<int> signals);
void forgetSignalDescriptor(int fd) noexcept;
int readSignal(int fd) noexcept;

TimePoint now() noexcept;
std::chrono::nanoseconds suspendedTime() noexcept;
std::chrono::nanoseconds threadCpuTime() noexcept;
int threadCpuClock() noexcept;
std::chrono::nanoseconds cpuTimeOf(int cpuClock) noexcept;
void makeWaitsPrecise() noexcept;
void sleepFor(std::chrono::nanoseconds time) noexcept;
void yieldCpu() noexcept;

Result<UniqueFd> openReserve();
std::size_t descriptorLimit() noexcept;

}  // namespace nio::simulatedKernel
