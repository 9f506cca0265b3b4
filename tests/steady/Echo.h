// Echoes of one dispatcher that its caller turns, with the other ends of its connections: each turn
// gets one batch of messages per connection, and answers all of them.
//
// Thread: one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/socket.h>

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>
#include <nio/loop/SelectorThread.h>
#include <nio/pipeline/PipelineFactory.h>

namespace steady {

class RawEcho final : public nio::StreamHandler {
  public:
    using StreamHandler::StreamHandler;

  private:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        sendThrough(bytes);
    }
};

// A stage that only passes on.
struct EmptyStage {
    void read(auto& context, auto&& item) NIO_REQUIRES(nio::onDispatcher) { context.read(item); }
    void write(auto& context, auto&& item) NIO_REQUIRES(nio::onDispatcher) { context.write(item); }
};

using MakeHandler = std::function<std::unique_ptr<nio::ReadWriteSelectorHandler>(
    nio::SocketChannel, const nio::StreamOptions&)>;

template <class... Steps>
MakeHandler makerOf(Steps... steps) {
    return [factory = nio::pipeline(steps...)](nio::SocketChannel channel,
                                               const nio::StreamOptions& options) {
        return factory.with(options)(std::move(channel));
    };
}
template <class... Stages>
MakeHandler pipelineOf(Stages... stages) {
    return makerOf(stages..., [](auto& peer, nio::ByteView packet) {
        nio::onDispatcher.assumeCurrent();
        peer.send(packet);
    });
}
inline MakeHandler pipelineThrough() {
    return makerOf(nio::raw(), [](auto& peer, nio::ByteView packet) {
        nio::onDispatcher.assumeCurrent();
        peer.sendThrough(packet);
    });
}

// What a connection speaks, with one message in it.
struct Protocol {
    std::string name;
    std::string message;
    MakeHandler makeHandler{};  // none: a raw handler
};

inline std::vector<Protocol> protocols() {
    const std::string length("\0\0\0\x05hello", 9);
    return {{"handler", "hello\n"},
            {"through", "hello\n", pipelineThrough()},
            {"raw", "hello\n", pipelineOf(nio::raw())},
            {"threeStages", "hello\n",
             pipelineOf(nio::raw(), EmptyStage(), EmptyStage(), EmptyStage())},
            {"line", "hello\n", pipelineOf(nio::lines())},
            {"length", length, pipelineOf(nio::lengthPrefixed())},
            {"stxetx", "\x02hello\x03", pipelineOf(nio::stxEtx())}};
}

struct Load {
    std::size_t connections = 50;
    std::size_t depth = 1;
    nio::StreamOptions stream{};
};

class Echo {
  public:
    Echo(const Protocol& protocol, const Load& load)
        : options_(std::make_shared<nio::StreamOptions>(load.stream)) {
        for (std::size_t i = 0; i < load.depth; ++i) batch_ += protocol.message;
        answer_.resize(batch_.size());
        for (std::size_t i = 0; i < load.connections; ++i) connect(protocol);
        turn();
    }

    nio::SelectorThread& thread() { return thread_; }
    std::size_t connections() const { return peers_.size(); }

    // One turn in which every connection gets its batch.
    void round() {
        for (const nio::UniqueFd& peer : peers_) {
            if (nio::kernel::send(peer.get(), nio::asBytes(batch_)).bytes != batch_.size()) {
                throw std::runtime_error("a batch was not sent");
            }
        }
        turn();
        for (const nio::UniqueFd& peer : peers_) {
            const nio::IoResult got = nio::kernel::receive(peer.get(), answer_);
            if (got.bytes != batch_.size() || nio::asText(answer_) != batch_) {
                throw std::runtime_error("a turn did not answer what had come");
            }
        }
    }
    void rounds(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) round();
    }
    // May sleep, as a real one does: the way into sleep and out of it is part of the turn.
    void turn() { thread_.turn(std::chrono::milliseconds(peers_.empty() ? 0 : 20)); }

  private:
    void connect(const Protocol& protocol) {
        int ends[2] = {-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
            throw std::runtime_error("no sockets");
        }
        peers_.emplace_back(ends[0]);
        nio::SocketChannel channel{nio::UniqueFd(ends[1])};
        std::unique_ptr<nio::ReadWriteSelectorHandler> handler;
        if (protocol.makeHandler) {
            handler = protocol.makeHandler(std::move(channel), *options_);
        } else {
            handler = std::make_unique<RawEcho>(std::move(channel), options_);
        }
        if (!thread_.registerChannelLater(std::move(handler), nio::Interest::read)) {
            throw std::runtime_error("a connection was refused");
        }
    }

    const std::shared_ptr<const nio::StreamOptions> options_;
    std::string batch_;
    nio::Bytes answer_;
    nio::SelectorThread thread_;
    std::vector<nio::UniqueFd> peers_;
};

}  // namespace steady
