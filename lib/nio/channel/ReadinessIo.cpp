#include <nio/channel/ReadinessIo.h>

#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>

namespace nio {

ReadinessIo::ReadinessIo(std::size_t receiveBufferBytes)
    : scratch_(new Byte[receiveBufferBytes]), scratchBytes_(receiveBufferBytes) {}

Received ReadinessIo::receive(SocketChannel& channel) {
    if (channel.hasUnread()) [[unlikely]]
        return receiveUnread(channel);
    if (channel.failure() != std::errc{}) return {IoStatus::failed, channel.failure(), {}};
    const IoResult read = kernel::receive(channel.fd(), {scratch_.get(), scratchBytes_});
    return {read.status, read.code, {scratch_.get(), read.bytes}};
}

Received ReadinessIo::receiveUnread(SocketChannel& channel) {
    const std::size_t count = channel.takeUnread({scratch_.get(), scratchBytes_});
    return {IoStatus::done, {}, {scratch_.get(), count}};
}

IoResult ReadinessIo::write(SocketChannel& channel, ByteView direct) {
    OutputQueue& queue = channel.output();
    if (!queue.empty()) [[unlikely]] {
        queue.append(direct, chunks());
        return flush(channel);
    }
    if (channel.failure() != std::errc{}) return IoResult::failed(channel.failure());
    const IoResult sent = kernel::send(channel.fd(), direct);
    counters().bytesOut.add(sent.bytes);
    const bool allTaken = sent.bytes == direct.size();
    if (allTaken || sent.isFailed()) return sent;
    queue.append(direct.subspan(sent.bytes), chunks());
    return sent;
}

IoResult ReadinessIo::flush(SocketChannel& channel) {
    return sendQueued(channel);
}

Result<void> ReadinessIo::shutdownWrite(SocketChannel& channel) {
    return kernel::shutdownWrite(channel.fd());
}

IoResult ReadinessIo::connect(SocketChannel& channel, const SocketAddress& address) {
    return kernel::connect(channel.fd(), address);
}

IoResult ReadinessIo::connectOutcome(SocketChannel& channel) {
    return kernel::connectOutcome(channel.fd());
}

kernel::Accepted ReadinessIo::accept(ServerSocketChannel& channel) {
    return kernel::accept(channel.fd());
}

}  // namespace nio
