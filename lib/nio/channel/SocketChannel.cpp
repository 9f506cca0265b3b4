#include <nio/channel/SocketChannel.h>

namespace nio {

Result<SocketChannel> SocketChannel::open(SocketAddress::Family family) {
    Result<UniqueFd> fd = kernel::openStreamSocket(family);
    if (!fd) return fd.error();
    if (family != SocketAddress::Family::unix_) {
        if (Result<void> set = kernel::setNoDelay(fd.value().get(), true); !set) return set.error();
    }
    return SocketChannel(std::move(fd).value());
}

SocketChannel::~SocketChannel() = default;

Result<void> SocketChannel::shutdownWrite() {
    registrationFor("shutdownWrite");
    return kernel::shutdownWrite(fd());
}

void SocketChannel::abort() {
    if (isRegistered()) registrationFor("abort");
    // A connection that is gone already cannot be reset any more: no error worth telling.
    if (isOpen()) (void)kernel::setResetOnClose(fd()).ok();
    close();
}

}  // namespace nio
