// Bytes to packets and packets to bytes: the framing of one protocol, pure.
//
// A decoder belongs to one connection and one direction. It owns no bytes: decode() looks at what
// has arrived and was not yet consumed, and says where the first packet ends. The caller keeps
// the unconsumed tail and shows it again, with more behind it, when more has arrived; a decoder
// may remember how far it looked, so that a packet that comes byte by byte is scanned once.
//
// Every decoder has a maximum packet size: a peer can never make the caller keep more than
// that, plus the framing.
//
// Thread: that of its owner; no descriptor, no clock, no lock.
// Source: ONJava article 2004, ProtocolDecoder.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

namespace nio {

struct Decoded {
    enum class Kind {
        packet,    // `packet` is complete; the first `consumed` bytes are done with
        needMore,  // no complete packet yet; the first `consumed` bytes (often 0) are done with
        error,     // the peer broke the protocol: `error` says how; the stream cannot go on
    };
    Kind kind = Kind::needMore;
    std::size_t consumed = 0;
    ByteView packet{};  // within the input: valid as long as the input is
    Errc error{};

    static Decoded complete(ByteView packet, std::size_t consumed) {
        return {Kind::packet, consumed, packet, {}};
    }
    static Decoded incomplete(std::size_t consumed = 0) {
        return {Kind::needMore, consumed, {}, {}};
    }
    static Decoded broken(Errc error) { return {Kind::error, 0, {}, error}; }
};

class ProtocolDecoder {
  public:
    virtual ~ProtocolDecoder() = default;

    // `unread` begins with the first byte that no earlier call consumed. Called again with what is
    // left until nothing is, or the answer is needMore. Not called again after an error.
    virtual Decoded decode(ByteView unread) = 0;

    // Appends the framed packet. Refuses, having appended nothing, what its own decode() would
    // not give back as this one packet: packetTooLong, notEncodable.
    virtual Result<void> encode(ByteView packet, ByteSink& sink) const = 0;

    // The longest packet, in bytes without framing.
    virtual std::size_t maximumPacketBytes() const = 0;
};

// What flows between the stages of a pipeline as a ByteView: bytes in order, cut anywhere, or one
// whole packet.
struct ByteStream {};
struct Packet {};

// Makes decoders: a Framed, or a lambda that returns a decoder of your own.
using DecoderFactory = std::function<std::unique_ptr<ProtocolDecoder>()>;

}  // namespace nio
