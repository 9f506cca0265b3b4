// Packets to messages and messages to packets: the typed layer above a ProtocolDecoder.
//
// The ProtocolDecoder finds where a packet begins and ends; the codec says what it means. The two
// are chosen apart: any codec works over any framing that can express its packets.
//
//     bytes -> ProtocolDecoder -> packet -> MessageCodec -> Message -> MessagingProtocol
//
// A codec belongs to one connection, made by a factory with it and destroyed with it; decode() may
// keep state between packets (a version agreed upon, a dictionary), encode() has none to change.
//
// Thread: that of its owner, in a server the connection's dispatcher; no descriptor, no clock, no
// lock, and it must not block.
// Lifetimes: a packet is valid during the call; a Message owns what it says, or the views in it
// die with the packet.
// Errors: nullopt means a malformed packet. An exception is a bug of the codec: it is passed on to
// the caller, which closes that connection.
// Source: BGU practical session on the reactor, MessageEncoderDecoder.
#pragma once

#include <optional>
#include <string>

#include <nio/base/Bytes.h>

namespace nio {

template <class Message>
class MessageCodec {
  public:
    virtual ~MessageCodec() = default;

    // The message of one complete packet, without its framing; the packet may be empty. nullopt:
    // malformed, and the stream cannot go on. Packets come in the order of the stream, each once.
    virtual std::optional<Message> decode(ByteView packet) = 0;

    // Appends the packet of `message`, without framing, to `packet`, which the caller has emptied
    // (its capacity is kept from message to message). decode() of the result gives an equal
    // message. Whether the packet can be sent is for the framing to say.
    virtual void encode(const Message& message, Bytes& packet) const = 0;
};

// Messages that are text: the packet's bytes as a std::string, and back. Any bytes are a message,
// the empty packet is the empty string; no character encoding is assumed or checked. No state.
class TextCodec final : public MessageCodec<std::string> {
  public:
    std::optional<std::string> decode(ByteView packet) override {
        return std::string(asText(packet));
    }

    void encode(const std::string& message, Bytes& packet) const override {
        const ByteView bytes = asBytes(message);
        packet.insert(packet.end(), bytes.begin(), bytes.end());
    }
};

}  // namespace nio
