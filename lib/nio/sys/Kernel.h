// Every system call of the library: descriptors, readiness, the clock, files of sockets.
//
// This header is a seam: Kernel.cpp is the real kernel, a test links a simulated one in its place
// (at link time, so that the seam costs nothing). It is also the last place that sees errno: above
// it there are values.
//
// What every implementation promises:
//  - Descriptors are close-on-exec and non-blocking.
//  - EINTR is never seen: an interrupted transfer is repeated, an interrupted wait returns no
//    event.
//  - No call raises SIGPIPE.
//  - Error contexts name the call and, where there is one, the address.
//
// Thread: any; one thread at a time per descriptor, except signalEvent.
// Errors: as the manual pages of the calls say, in std::errc.
#pragma once

#include <sys/epoll.h>
#include <sys/uio.h>

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <nio/sys/Clock.h>
#include <nio/sys/IoResult.h>
#include <nio/sys/SocketAddress.h>
#include <nio/sys/UniqueFd.h>

namespace nio::kernel {

// --- stream sockets -------------------------------------------------------------------------

Result<UniqueFd> openStreamSocket(SocketAddress::Family family);
Result<void> bind(int fd, const SocketAddress& address);
// To connect from: a port of 0 is chosen only when it connects, so that the same port can serve
// connections to different peers.
Result<void> bindSource(int fd, const SocketAddress& address);
Result<void> listen(int fd, int backlog);
Result<SocketAddress> localAddress(int fd);
Result<SocketAddress> peerAddress(int fd);

Result<void> setReuseAddress(int fd, bool on);
Result<void> setReusePort(int fd, bool on);
Result<void> setV6Only(int fd, bool on);
// Segments leave at once. A Unix-domain socket has no such option: ok.
Result<void> setNoDelay(int fd, bool on);
// A TCP peer that has been silent for `idle` is probed five times, a fifth of `idle` apart (whole
// seconds, at least one); without an answer the connection fails with timed_out. Connections that a
// listener accepts inherit it. A Unix-domain socket has no such option: ok. Errors:
// invalid_argument, below 1 s and above 9 h.
Result<void> setKeepAlive(int fd, std::chrono::seconds idle);
Result<void> setSendBufferBytes(int fd, int bytes);
Result<void> setReceiveBufferBytes(int fd, int bytes);
// The next close sends RST and forgets what was not delivered.
Result<void> setResetOnClose(int fd);

// done: `fd` holds the connection. wouldBlock: nobody waits. failed: see the code; a connection
// that was reset before it was accepted is skipped, not reported.
struct Accepted {
    IoResult result;
    UniqueFd fd;
};
Accepted accept(int fd);

// done: connected. wouldBlock: under way, the socket becomes writable when it is decided.
IoResult connect(int fd, const SocketAddress& address);
// What became of a connect that was under way: done, or failed with the reason. Ask once, and only
// when the socket has become writable: while nothing is decided the answer is done, too. A socket
// that TCP has connected to itself is connection_refused: no server listens there.
IoResult connectOutcome(int fd);

// done with 1..into.size() bytes, wouldBlock, closed (end of stream) or failed.
[[gnu::hot]] IoResult receive(int fd, std::span<Byte> into);
// done with 1.. bytes taken by the kernel, wouldBlock or failed.
[[gnu::hot]] IoResult send(int fd, ByteView bytes);
// The same for several pieces (at most 1,024) in order, in one call.
IoResult sendPieces(int fd, std::span<const iovec> pieces);
Result<void> shutdownWrite(int fd);
// Of what was sent, how much (FIN included) the peer's side has not taken over yet: a reset can
// still destroy it. 0 where the system does not say.
std::size_t undeliveredBytes(int fd);

void close(int fd) noexcept;

// --- readiness ------------------------------------------------------------------------------

// Absent: wait without end. Zero: look, do not wait. Otherwise rounded up, so that no wait ends
// before its time.
using WaitTime = std::optional<std::chrono::nanoseconds>;

Result<UniqueFd> createEpoll();
enum class EpollChange { add, modify, remove };
Result<void> changeEpoll(int epoll, EpollChange change, int fd, std::uint32_t events, void* data);
// The number of events filled in.
Result<std::size_t> waitEpoll(int epoll, std::span<epoll_event> events, WaitTime wait);
// The number of entries with events.
Result<std::size_t> waitPoll(std::span<pollfd> entries, WaitTime wait);

// A descriptor that becomes readable when signalled, and stays so until cleared.
Result<UniqueFd> createEvent();
void signalEvent(int fd) noexcept;  // Thread: any.
void clearEvent(int fd) noexcept;

// --- signals --------------------------------------------------------------------------------

// From now on these signals do nothing to this process but wait for a descriptor. They are caught,
// and not blocked: calls of the kernel that can be are begun again, and the processes that this one
// starts have the default actions. In a forked process they do what they did before, until it
// catches them itself.
Result<void> catchSignals(std::initializer_list<int> numbers);
// Catches them; the descriptor is readable when one has come. Every descriptor is told of each, and
// a new one of those that nobody has read yet. One that comes several times before it is read is
// read twice. 64 at once at most.
Result<UniqueFd> createSignalDescriptor(std::initializer_list<int> numbers);
// Before it is closed.
void forgetSignalDescriptor(int fd) noexcept;
// The lowest number of those that have come, 0 if there is none. Read until then.
int readSignal(int fd) noexcept;

// --- the clock ------------------------------------------------------------------------------

TimePoint now() noexcept;
// CPU time that the calling thread has used so far, in the kernel too.
std::chrono::nanoseconds threadCpuTime() noexcept;
// A clock of the calling thread's CPU time that other threads can read; noCpuClock where there is
// none.
constexpr int noCpuClock = 0;
int threadCpuClock() noexcept;
// Thread: any. Zero once the thread has ended.
std::chrono::nanoseconds cpuTimeOf(int cpuClock) noexcept;
// From now on the calling thread's waits end as near to their time as the machine can; by default
// the kernel may be 50 µs late, to wake up less often.
void makeWaitsPrecise() noexcept;
// Whoever else waits for this CPU may have it now.
void yieldCpu() noexcept;

// --- files, limits and names ----------------------------------------------------------------

// A descriptor of no use, kept to be given up when none is left.
Result<UniqueFd> openReserve();
// The soft limit of descriptors of this process; 1,024, which is usual, where a sandbox does not
// let the process ask.
std::size_t descriptorLimit() noexcept;

// Absent where the variable is not set. Not while another thread sets one.
std::optional<std::string> environment(const char* name);

enum class SocketFile { absent, socket, somethingElse };
SocketFile inspectSocketFile(const std::string& path);
// Which file a path names now: another one under the same path is not equal.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    bool operator==(const FileIdentity&) const = default;
};
std::optional<FileIdentity> identifyFile(const std::string& path);
Result<void> removeFile(const std::string& path);
Result<void> setFileMode(const std::string& path, unsigned mode);

// Every stream address of a name, in the order of preference. Blocks, for many seconds at worst:
// never call it on a dispatcher that has connections. nameNotFound where there is none.
Result<std::vector<SocketAddress>> resolve(const std::string& host, std::uint16_t port);

}  // namespace nio::kernel
