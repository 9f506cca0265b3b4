// The listener of one connection that speaks in messages: each packet is decoded, given to the
// protocol, and its answer encoded and sent. A packet that is no message ends the connection with
// malformedPacket. Once the protocol says shouldTerminate(), nothing more is processed and the
// connection closes after the flush.
//
// Thread: the channel's dispatcher.
// Source: BGU Reactor (NonBlockingConnectionHandler).
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <nio/codec/MessageCodec.h>
#include <nio/codec/MessagingProtocol.h>
#include <nio/connection/PacketChannel.h>

namespace nio {

template <class Message>
class TypedListener final : public PacketChannelListener {
  public:
    TypedListener(std::unique_ptr<MessageCodec<Message>> codec,
                  std::unique_ptr<MessagingProtocol<Message>> protocol)
        : codec_(std::move(codec)), protocol_(std::move(protocol)) {}

    void packetArrived(PacketChannel& channel, ByteView packet) override
        NIO_REQUIRES(onDispatcher) {
        std::optional<Message> message = codec_->decode(packet);
        if (!message) return channel.failAfterFlush(Error(Errc::malformedPacket, "message"));
        std::optional<Message> answer = protocol_->process(std::move(*message));
        if (answer) send(channel, *answer);
        if (protocol_->shouldTerminate()) channel.closeAfterFlush();
    }

  private:
    void send(PacketChannel& channel, const Message& answer) NIO_REQUIRES(onDispatcher) {
        packet_.clear();
        codec_->encode(answer, packet_);
        const Result<void> sent = channel.sendPacket(packet_);
        if (!sent) channel.failAfterFlush(sent.error());
    }

    std::unique_ptr<MessageCodec<Message>> codec_;
    std::unique_ptr<MessagingProtocol<Message>> protocol_;
    Bytes packet_;
};

}  // namespace nio
