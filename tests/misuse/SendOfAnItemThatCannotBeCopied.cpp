// What travels outbound may have to be kept.
#include <memory>
#include <string>

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

using Number = std::unique_ptr<int>;

struct Numbers {
    using In = nio::Packet;
    using Out = Number;
    void read(auto& context, nio::ByteView) NIO_REQUIRES(nio::onDispatcher) {
        context.read(std::make_unique<int>(1));
    }
    void write(auto& context, const Number& number) NIO_REQUIRES(nio::onDispatcher) {
        context.write(std::to_string(*number));
    }
};
struct Answers {
    void read(auto& peer, Number number) NIO_REQUIRES(nio::onDispatcher) {
        (void)peer, (void)number;
        peer.send(number);  // must not compile: be moved
    }
};

void serve(nio::SocketChannel& channel) {
    (void)nio::pipeline(nio::lines(), Numbers(), Answers())(std::move(channel));
}
