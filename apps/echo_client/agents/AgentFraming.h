// Packets behind a length of four bytes. As long as nobody has said a right hello, only short ones
// come in: a stranger cannot make an agent keep much.
//
// Thread: that of its owner. Copies are admitted together.
#pragma once

#include <memory>

#include <nio/codec/LengthFieldDecoder.h>

#include "echo_client/agents/AgentMessages.h"

namespace load {

class AgentFraming final : public nio::ProtocolDecoder {
  public:
    // From now on long packets come in, too.
    void admit() { *admitted_ = true; }

    nio::Decoded decode(nio::ByteView unread) override {
        return *admitted_ ? any_.decode(unread) : short_.decode(unread);
    }
    nio::Result<void> encode(nio::ByteView packet, nio::ByteSink& sink) const override {
        return any_.encode(packet, sink);
    }
    std::size_t maximumPacketBytes() const override { return any_.maximumPacketBytes(); }

  private:
    static nio::LengthFieldOptions upTo(std::size_t bytes) {
        nio::LengthFieldOptions options;
        options.maximumPacketBytes = bytes;
        return options;
    }

    std::shared_ptr<bool> admitted_ = std::make_shared<bool>(false);
    nio::LengthFieldDecoder short_{upTo(wire::largestHello)};
    nio::LengthFieldDecoder any_{upTo(wire::largestMessage)};
};

}  // namespace load
