#include <nio/channel/ReadinessIo.h>

#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>

namespace nio {

ReadinessIo::ReadinessIo(std::size_t receiveBufferBytes)
    : scratch_(new Byte[receiveBufferBytes]), scratchBytes_(receiveBufferBytes) {}

Received ReadinessIo::receive(SocketChannel& channel) {
    if (channel.hasUnread()) [[unlikely]]
        return receiveUnread(channel);
    if (channel.failure() != std::errc{}) [[unlikely]]
        return {IoStatus::failed, channel.failure(), {}};
    const IoResult read = kernel::receive(channel.fd(), {scratch_.get(), scratchBytes_});
    return {read.status, read.code, {scratch_.get(), read.bytes}};
}

Received ReadinessIo::receiveUnread(SocketChannel& channel) {
    const std::size_t count = channel.takeUnread({scratch_.get(), scratchBytes_});
    return {IoStatus::done, {}, {scratch_.get(), count}};
}

IoResult ReadinessIo::write(SocketChannel& channel, ByteView direct) {
    if (!channel.output().empty()) [[unlikely]]
        return writeBehind(channel, direct);
    if (channel.failure() != std::errc{}) [[unlikely]]
        return IoResult::failed(channel.failure());
    const IoResult sent = kernel::send(channel.fd(), direct);
    counters().bytesOut.add(sent.bytes);
    if (sent.bytes != direct.size()) [[unlikely]]
        return keepRest(channel, direct, sent);
    return sent;
}

IoResult ReadinessIo::writeBehind(SocketChannel& channel, ByteView direct) {
    channel.output().append(direct, chunks());
    return sendQueued(channel);
}

IoResult ReadinessIo::keepRest(SocketChannel& channel, ByteView direct, IoResult sent) {
    if (sent.isFailed()) return sent;
    channel.output().append(direct.subspan(sent.bytes), chunks());
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
