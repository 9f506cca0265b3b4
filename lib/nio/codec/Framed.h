// A framing as a stage of a pipeline (PipelineFactory.h): bytes to packets and back, by a decoder.
//
//     nio::lines(), nio::lengthPrefixed(), nio::stxEtx(), …     nio::Framed(MyDecoder())
//
// Each connection gets a copy of the decoder. A packet that the framing cannot express ends the
// connection with that error, once what was sent before has left.
//
// It is a DecoderFactory, too, for code without a connection.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/codec/ProtocolDecoder.h>

namespace nio {

template <class Decoder>
class Framed {
  public:
    using In = ByteStream;
    using Out = Packet;

    explicit Framed(Decoder decoder) : decoder_(std::move(decoder)) {}

    std::unique_ptr<ProtocolDecoder> operator()() const {
        return std::make_unique<Decoder>(decoder_);
    }

    std::size_t read(auto& context, ByteView unread) NIO_REQUIRES(onDispatcher) {
        const Decoded decoded = decoder_.decode(unread);
        if (decoded.kind == Decoded::Kind::packet) {
            context.taken(decoded.consumed);
            context.read(decoded.packet);
        } else if (decoded.kind == Decoded::Kind::error) {
            context.fail(decoded.error);
        }
        return decoded.consumed;
    }
    void write(auto& context, ByteView packet) NIO_REQUIRES(onDispatcher) {
        Sink<std::remove_reference_t<decltype(context)>> sink(context);
        Result<void> written;
        if constexpr (requires { decoder_.frame(packet, sink); }) {
            written = decoder_.frame(packet, sink);
        } else {
            written = decoder_.encode(packet, sink);
        }
        if (!written) context.fail(written.error());
    }

  private:
    template <class Context>
    class Sink final : public ByteSink {
      public:
        explicit Sink(Context& context) : context_(context) {}
        void append(ByteView bytes) override {
            onDispatcher.assumeCurrent();
            context_.write(bytes);
        }

      private:
        Context& context_;
    };

    Decoder decoder_;
};

}  // namespace nio
