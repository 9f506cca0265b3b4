// A listening socket (TCP or Unix-domain), non-blocking.
//
// Thread: open() and adopt() any; accept() the dispatcher's own.
// Lifetime: close() removes the socket file of a Unix-domain listener that it has created. A forked
// process leaves the file to the parent that bound it, as long as the parent runs.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <nio/channel/ChannelIo.h>
#include <nio/channel/SelectableChannel.h>

namespace nio {

struct ListenOptions {
    int backlog = 4096;  // the kernel caps it at net.core.somaxconn; negative: as many as that
    bool reusePort = false;
    // IPv6 only: whether the listener also accepts IPv4 (as mapped addresses). Always set
    // explicitly, regardless of the system's default.
    bool dualStack = false;
    // TCP keep-alive: a peer that has been silent this long is probed five times, a fifth of this
    // time apart (whole seconds, at least one). If none is answered the connection fails with
    // timed_out, after about twice this time (for values below 5 s: 5 s later). 0: off. 1 s to 9 h,
    // else invalid_argument. Costs no system call per connection.
    std::chrono::seconds keepAlive{0};
    // Unix-domain only: permission bits of the file; absent leaves them to the umask.
    std::optional<unsigned> fileMode{};
};

class ServerSocketChannel final : public SelectableChannel {
  public:
    // Binds and listens. Sets SO_REUSEADDR for TCP. A stale Unix-domain socket file (without a
    // listener) is replaced; a socket in use gives address_in_use; a file that is not a socket is
    // left alone and gives file_exists. While it opens PATH, there is a lock file PATH.nio-lock: of
    // two that open one path at once, one gets address_in_use.
    static Result<ServerSocketChannel> open(const SocketAddress& address,
                                            const ListenOptions& options = {});
    // Takes over a listening socket that is open already, an inherited one say (Handover.h). Of the
    // options only keepAlive applies. The file of a Unix-domain listener stays to whoever created
    // it. Errors: see kernel::adoptListener; the descriptor is closed then.
    static Result<ServerSocketChannel> adopt(UniqueFd listening, const ListenOptions& options = {});
    // From now on close() removes the file even of an adopted Unix-domain listener (ownFile), or
    // leaves the file of any (leaveFile). For listeners that one process passes to the next. No
    // effect on other sockets.
    void ownFile();
    void leaveFile() { ownFile_.clear(); }

    ServerSocketChannel(ServerSocketChannel&& other) = default;
    ~ServerSocketChannel() { ServerSocketChannel::close(); }

    void close() override;
    Nature nature() const override { return Nature::listener; }

    // Accepts one connection, without TCP_NODELAY; see kernel::accept.
    kernel::Accepted accept() NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = registrationFor("accept").io();
        kernel::Accepted accepted = engine.accept(*this);
        if (accepted.result.isDone()) engine.counters().accepts.add(1);
        return accepted;
    }

    // With the port that the kernel chose if port 0 was requested.
    Result<SocketAddress> localAddress() const { return kernel::localAddress(fd()); }

  private:
    static Result<ServerSocketChannel> bindAndListen(const SocketAddress& address,
                                                     const ListenOptions& options);
    explicit ServerSocketChannel(UniqueFd fd) : SelectableChannel(std::move(fd)) {}

    std::string ownFile_;
    std::optional<kernel::FileIdentity> ownIdentity_;  // a successor's file must not be removed
    int owner_ = 0;                                    // the process that bound it
};

}  // namespace nio
