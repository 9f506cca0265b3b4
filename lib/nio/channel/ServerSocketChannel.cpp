#include <nio/channel/ServerSocketChannel.h>

#include <utility>

#include <nio/sys/Process.h>
#include <nio/sys/handover/Handover.h>

namespace nio {

namespace {

// Only connect() can distinguish a listener from a stale socket file, which includes that of a
// socket that is bound but does not listen yet: see open().
Result<void> makeWayFor(const SocketAddress& address) {
    const std::string path = address.path();
    switch (kernel::inspectSocketFile(path)) {
        case kernel::SocketFile::absent: return {};
        case kernel::SocketFile::somethingElse:
            return Error(std::errc::file_exists, "bind " + address.toString());
        case kernel::SocketFile::socket: break;
    }
    Result<UniqueFd> probe = kernel::openStreamSocket(SocketAddress::Family::unix_);
    if (!probe) return probe.error();
    const IoResult connected = kernel::connect(probe.value().get(), address);
    const bool stale = connected.isFailed() && connected.code == std::errc::connection_refused;
    if (!stale) return Error(std::errc::address_in_use, "bind " + address.toString());
    return kernel::removeFile(path);
}

Result<void> prepare(int fd, const SocketAddress& address, const ListenOptions& options) {
    if (address.isUnix()) return address.path().empty() ? Result<void>() : makeWayFor(address);
    if (Result<void> set = kernel::setReuseAddress(fd, true); !set) return set;
    if (options.reusePort) {
        if (Result<void> set = kernel::setReusePort(fd, true); !set) return set;
    }
    if (options.keepAlive.count() != 0) {
        if (Result<void> set = kernel::setKeepAlive(fd, options.keepAlive); !set) return set;
    }
    if (address.family() != SocketAddress::Family::ipv6) return {};
    return kernel::setV6Only(fd, !options.dualStack);
}

}  // namespace

// Locks a file beside the path until the socket listens, so that two that open it together do not
// replace each other's file. Where the system has no such lock it goes on without.
Result<ServerSocketChannel> ServerSocketChannel::open(const SocketAddress& address,
                                                      const ListenOptions& options) {
    if (address.path().empty()) return bindAndListen(address, options);
    const std::string lockPath = address.path() + ".nio-lock";
    const Result<UniqueFd> lock = kernel::lockFile(lockPath);
    if (!lock && lock.error().is(std::errc::operation_would_block)) {
        return Error(std::errc::address_in_use, "bind " + address.toString());
    }
    Result<ServerSocketChannel> channel = bindAndListen(address, options);
    if (lock) (void)kernel::removeFile(lockPath).ok();
    return channel;
}

Result<ServerSocketChannel> ServerSocketChannel::bindAndListen(const SocketAddress& address,
                                                               const ListenOptions& options) {
    Result<UniqueFd> fd = kernel::openStreamSocket(address.family());
    if (!fd) return fd.error();
    ServerSocketChannel channel(std::move(fd).value());
    if (Result<void> ready = prepare(channel.fd(), address, options); !ready) return ready.error();
    const bool hasFile = !address.path().empty();
    if (hasFile && options.fileMode) kernel::setModeBeforeBind(channel.fd(), *options.fileMode);
    if (Result<void> bound = kernel::bind(channel.fd(), address); !bound) return bound.error();
    if (hasFile) {
        channel.ownFile();
        if (options.fileMode) {
            Result<void> set = kernel::setFileMode(channel.ownFile_, *options.fileMode);
            if (!set) return set.error();
        }
    }
    if (Result<void> listens = kernel::listen(channel.fd(), options.backlog); !listens) {
        return listens.error();
    }
    return channel;
}

Result<ServerSocketChannel> ServerSocketChannel::adopt(UniqueFd listening,
                                                       const ListenOptions& options) {
    if (Result<void> fits = kernel::adoptListener(listening.get()); !fits) return fits.error();
    if (options.keepAlive.count() != 0) {
        Result<void> set = kernel::setKeepAlive(listening.get(), options.keepAlive);
        if (!set) return set.error();
    }
    return ServerSocketChannel(std::move(listening));
}

void ServerSocketChannel::ownFile() {
    const Result<SocketAddress> address = localAddress();
    if (!address) return;
    ownFile_ = address.value().path();
    ownIdentity_ = kernel::identifyFile(ownFile_);
    owner_ = kernel::processId();
}

// Removes the file at once: a successor may listen at the same path before this object is
// destroyed.
void ServerSocketChannel::close() {
    if (isRegistered()) (void)registrationFor("close");
    // Before the descriptor closes: others would replace a file without a listener as stale.
    const std::string file = std::exchange(ownFile_, {});
    const bool isOwn = owner_ == kernel::processId() || !kernel::isProcessThere(owner_);
    if (!file.empty() && isOwn && kernel::identifyFile(file) == ownIdentity_) {
        // The file may have been removed already.
        (void)kernel::removeFile(file).ok();
    }
    SelectableChannel::close();
}

}  // namespace nio
