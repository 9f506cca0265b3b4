// A listening socket (TCP or Unix-domain), non-blocking.
//
// Thread: open() any; accept() the dispatcher's own.
// Lifetime: closing it removes the file of a Unix-domain listener that it made itself. A process
// that was forked since leaves the file to the one that bound it, as long as that is there.
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
    // IPv6 only: an IPv6 listener also takes IPv4 (as mapped addresses). Always set explicitly,
    // whatever the system's default is.
    bool dualStack = false;
    // TCP only: a peer that has been silent for so long is probed five times, a fifth of this time
    // apart (whole seconds, at least one). Without an answer the connection fails with timed_out:
    // after about twice this time, below 5 s after 5 s more. 0: never. 1 s to 9 h, else
    // invalid_argument. It costs no system call for each connection.
    std::chrono::seconds keepAlive{0};
    // Unix-domain only: permission bits of the file; absent leaves them to the umask.
    std::optional<unsigned> fileMode{};
};

class ServerSocketChannel final : public SelectableChannel {
  public:
    // Bound and listening. SO_REUSEADDR is set for TCP. A Unix-domain path where nobody listens
    // any more (a stale file) is replaced; a path in use is address_in_use, one that is no
    // socket is not touched: file_exists.
    static Result<ServerSocketChannel> open(const SocketAddress& address,
                                            const ListenOptions& options = {});
    ServerSocketChannel(ServerSocketChannel&& other) = default;
    ~ServerSocketChannel() { ServerSocketChannel::close(); }

    void close() override;
    Nature nature() const override { return Nature::listener; }

    // One connection, TCP_NODELAY not yet set; see kernel::accept.
    kernel::Accepted accept() NIO_REQUIRES(onDispatcher) {
        ChannelIo& engine = registrationFor("accept").io();
        kernel::Accepted accepted = engine.accept(*this);
        if (accepted.result.isDone()) engine.counters().accepts.add(1);
        return accepted;
    }

    // With the port that the system chose, where port 0 was asked for.
    Result<SocketAddress> localAddress() const { return kernel::localAddress(fd()); }

  private:
    explicit ServerSocketChannel(UniqueFd fd) : SelectableChannel(std::move(fd)) {}

    std::string ownFile_;
    std::optional<kernel::FileIdentity> ownIdentity_;  // a successor's file is not ours to remove
    int owner_ = 0;                                    // the process that bound it
};

}  // namespace nio
