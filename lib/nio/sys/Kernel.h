// The system calls of the library: sockets, readiness, signals, the clock, files and names.
//
// Tests link a simulated kernel in place of Kernel.cpp (at link time, so it costs nothing at run
// time). No code above this header sees errno: errors are values.
//
// Every implementation guarantees:
//  - Descriptors are close-on-exec and non-blocking.
//  - EINTR is never returned: an interrupted transfer is repeated, an interrupted wait returns no
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
// Binds a source address. Port 0 is chosen only by connect(), so that one port can serve
// connections to different peers.
Result<void> bindSource(int fd, const SocketAddress& address);
Result<void> listen(int fd, int backlog);
Result<SocketAddress> localAddress(int fd);
Result<SocketAddress> peerAddress(int fd);

Result<void> setReuseAddress(int fd, bool on);
Result<void> setReusePort(int fd, bool on);
Result<void> setV6Only(int fd, bool on);
// TCP_NODELAY. Returns ok for a Unix-domain socket, which has no such option.
Result<void> setNoDelay(int fd, bool on);
// TCP keep-alive: a peer that has been silent for `idle` is probed five times, a fifth of `idle`
// apart (whole seconds, at least one); if none is answered the connection fails with timed_out.
// Accepted connections inherit it from the listener. Returns ok for a Unix-domain socket, which has
// no such option. Errors: invalid_argument below 1 s and above 9 h.
Result<void> setKeepAlive(int fd, std::chrono::seconds idle);
Result<void> setSendBufferBytes(int fd, int bytes);
Result<void> setReceiveBufferBytes(int fd, int bytes);
// The next close sends RST and discards undelivered output.
Result<void> setResetOnClose(int fd);

// done: `fd` holds the connection. wouldBlock: the backlog is empty. failed: see the code;
// connections reset before the accept are skipped, not reported.
struct Accepted {
    IoResult result;
    UniqueFd fd;
};
Accepted accept(int fd);

// done: connected. wouldBlock: in progress; the socket becomes writable when it has completed.
IoResult connect(int fd, const SocketAddress& address);
// The result of a connect in progress: done, or failed with the reason. Call once, and only after
// the socket has become writable: before that the result is done, too. A socket that TCP has
// connected to itself gives connection_refused, since no server listens there.
IoResult connectOutcome(int fd);

// done with 1..into.size() bytes, wouldBlock, closed (EOF) or failed.
[[gnu::hot]] IoResult receive(int fd, std::span<Byte> into);
// done with at least 1 byte accepted by the kernel, wouldBlock or failed.
[[gnu::hot]] IoResult send(int fd, ByteView bytes);
// The same for several pieces (at most 1,024) in order, in one call.
IoResult sendPieces(int fd, std::span<const iovec> pieces);
Result<void> shutdownWrite(int fd);
// Sent bytes, FIN included, that the peer's kernel has not acknowledged: a reset can still destroy
// them. 0 if the system cannot tell.
std::size_t undeliveredBytes(int fd);
// Time since the handshake of an accepted TCP connection that has sent nothing yet, its wait in the
// backlog included; what the peer sends does not matter. Zero if the system cannot tell.
std::chrono::milliseconds establishedFor(int fd);

void close(int fd) noexcept;

// --- readiness ------------------------------------------------------------------------------

// Absent: no limit. Zero: poll without waiting. Otherwise rounded up, so that no wait ends early.
using WaitTime = std::optional<std::chrono::nanoseconds>;

Result<UniqueFd> createEpoll();
enum class EpollChange { add, modify, remove };
Result<void> changeEpoll(int epoll, EpollChange change, int fd, std::uint32_t events, void* data);
// Returns the number of events filled in.
Result<std::size_t> waitEpoll(int epoll, std::span<epoll_event> events, WaitTime wait);
// Returns the number of entries with events.
Result<std::size_t> waitPoll(std::span<pollfd> entries, WaitTime wait);

// A descriptor that becomes readable when signalled, and stays so until cleared.
Result<UniqueFd> createEvent();
void signalEvent(int fd) noexcept;  // Thread: any.
void clearEvent(int fd) noexcept;

// --- signals --------------------------------------------------------------------------------

// From now on these signals only become pending for a descriptor. They are caught, not blocked:
// restartable system calls are restarted, and started programs have the default actions. In a
// forked process the previous actions apply until it catches the signals itself.
Result<void> catchSignals(std::initializer_list<int> numbers);
// Catches the signals; the descriptor is readable when one is pending. Each signal is delivered to
// every such descriptor, and to a new one if nothing has read it yet. A signal that occurs several
// times before it is read is read twice. At most 64 descriptors.
Result<UniqueFd> createSignalDescriptor(std::initializer_list<int> numbers);
// Call before closing it.
void forgetSignalDescriptor(int fd) noexcept;
// The lowest pending signal, or 0 if none is pending. Read until it returns 0.
int readSignal(int fd) noexcept;

// --- the clock ------------------------------------------------------------------------------

TimePoint now() noexcept;
// How long the machine was suspended since it was started: now() leaves that out.
std::chrono::nanoseconds suspendedTime() noexcept;
// CPU time of the calling thread, user and system.
std::chrono::nanoseconds threadCpuTime() noexcept;
// The CPU clock of the calling thread, for other threads to read; noCpuClock if there is none.
constexpr int noCpuClock = 0;
int threadCpuClock() noexcept;
// Thread: any. Zero once the thread has ended.
std::chrono::nanoseconds cpuTimeOf(int cpuClock) noexcept;
// Sets the calling thread's timer slack to the minimum; by default the kernel may end a wait 50 µs
// late, to save wake-ups.
void makeWaitsPrecise() noexcept;
// Sleeps for this long; less if a signal is caught.
void sleepFor(std::chrono::nanoseconds time) noexcept;
// Yields the CPU.
void yieldCpu() noexcept;

// --- files, limits and names ----------------------------------------------------------------

// A reserve descriptor, to be closed when no other is left.
Result<UniqueFd> openReserve();
// The soft limit of file descriptors; 1,024, the usual value, if a sandbox forbids the query.
std::size_t descriptorLimit() noexcept;

// Absent if the variable is not set. Not thread-safe against setenv().
std::optional<std::string> environment(const char* name);

enum class SocketFile { absent, socket, somethingElse };
SocketFile inspectSocketFile(const std::string& path);
// Identifies the file that a path names now; a different file at the same path is not equal.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    bool operator==(const FileIdentity&) const = default;
};
std::optional<FileIdentity> identifyFile(const std::string& path);
Result<void> removeFile(const std::string& path);
// At most these permission bits for the socket file that bind() creates; the umask clears some of
// them. Only a hint: not every system supports it.
void setModeBeforeBind(int fd, unsigned mode) noexcept;
// The permission bits of a socket file. Another file at the path, or a symbolic link, is left alone
// and gives invalid_argument.
Result<void> setFileMode(const std::string& path, unsigned mode);
// Creates the file if there is none, and locks it until the descriptor closes; its holder may
// remove it. operation_would_block if another has the lock.
Result<UniqueFd> lockFile(const std::string& path);

// Every stream address of a name, in order of preference. May block for many seconds: never call it
// on a dispatcher with connections. nameNotFound if there is none.
Result<std::vector<SocketAddress>> resolve(const std::string& host, std::uint16_t port);

}  // namespace nio::kernel
