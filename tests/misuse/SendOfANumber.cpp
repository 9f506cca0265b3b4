// The last stage takes bytes.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

struct Sends {
    void read(auto& peer, std::string_view line) NIO_REQUIRES(nio::onDispatcher) {
        peer.send(line);
        peer.send(42);  // must not compile: peer.send() the last
    }
};

void serve(nio::SocketChannel& channel) {
    (void)nio::pipeline(nio::lines(), Sends())(std::move(channel));
}
