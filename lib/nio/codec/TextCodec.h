// Messages that are text: the packet's bytes as a std::string, and back.
//
// The identity: any bytes are a message, the empty packet is the empty string, nothing is
// malformed, and no character encoding is assumed or checked.
//
// Thread: any; it has no state.
#pragma once

#include <string>

#include <nio/codec/MessageCodec.h>

namespace nio {

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
