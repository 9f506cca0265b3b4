// The echo server from hand-written handlers: echo_by_hand [ADDRESS]; see docs/echo-by-hand.md
#include <csignal>
#include <iostream>
#include <optional>

#include <nio/nio.h>

using nio::Interest;

// One connection. It waits for input or, while the kernel takes no more output, for room.
class Echo final : public nio::ReadWriteSelectorHandler {
  public:
    explicit Echo(nio::SocketChannel channel) : channel_(std::move(channel)) {}
    nio::SelectableChannel& channel() override { return channel_; }

    void handleRead() override {
        const nio::Received received = channel_.receive();
        peerFinished_ = received.status == nio::IoStatus::closed;
        if (received.status == nio::IoStatus::failed) return channel_.close();
        if (received.bytes.empty()) return wait(peerFinished_ ? Interest::write : Interest::read);
        goOn(channel_.write(received.bytes));
    }
    void handleWrite() override { goOn(channel_.flush()); }

  private:
    // After a partial write the rest is queued in the channel, and nothing is read until it has
    // left: a peer that does not read cannot make the server's memory grow.
    void goOn(const nio::IoResult& sent) {
        if (sent.isFailed()) return channel_.close();
        if (channel_.pendingBytes() > 0) return wait(Interest::write);
        peerFinished_ ? channel_.close() : wait(Interest::read);
    }
    // A ready operation leaves the interest before its callback: each callback says what is next.
    void wait(Interest next) { dispatcher().addChannelInterestNow(channel_, next); }

    nio::SocketChannel channel_;
    bool peerFinished_ = false;
};

// The listener. It deals connections out to all dispatchers.
class Accept final : public nio::AcceptSelectorHandler {
  public:
    Accept(nio::ServerSocketChannel channel, nio::SelectorThreadGroup& group)
        : channel_(std::move(channel)), group_(group) {}
    nio::SelectableChannel& channel() override { return channel_; }

    void handleRegistered() override {
        retry_.emplace(dispatcher().deadlines(), [this] { wait(); });
    }
    void handleAccept() override {
        nio::kernel::Accepted accepted = channel_.accept();
        // Out of descriptors, for example.
        if (accepted.result.isFailed()) return retry_->wakeAfter(std::chrono::milliseconds(100));
        if (accepted.result.isDone()) deal(nio::SocketChannel(std::move(accepted.fd)));
        wait();
    }

  private:
    // A dispatcher that has stopped refuses the handler: the connection is then closed.
    void deal(nio::SocketChannel connection) {
        nio::SelectorThread& next = group_.next();
        auto echo = std::make_unique<Echo>(std::move(connection));
        (void)next.registerChannelLater(std::move(echo), Interest::read);
    }
    void wait() { dispatcher().addChannelInterestNow(channel_, Interest::accept); }

    nio::ServerSocketChannel channel_;
    nio::SelectorThreadGroup& group_;
    std::optional<nio::Deadline> retry_;
};

int main(int count, char** words) try {
    const std::string text = count > 1 ? words[1] : "127.0.0.1:7007";
    const nio::SocketAddress address = nio::SocketAddress::parse(text).orThrow();
    auto listener = nio::ServerSocketChannel::open(address).orThrow();
    std::cout << "listening on " << listener.localAddress().orThrow().toString() << std::endl;

    nio::SelectorThreadGroup group;  // one dispatcher per CPU
    auto signals = nio::SignalHandler::open({SIGINT, SIGTERM}, [&](int) { group.requestClose(); });
    group.start();
    const auto begin = [&] {
        auto accept = std::make_unique<Accept>(std::move(listener), group);
        group[0].registerChannelNow(std::move(accept), Interest::accept).orThrow();
        group[0].registerChannelNow(std::move(signals).orThrow(), Interest::read).orThrow();
    };
    group[0].invokeAndWait(begin).orThrow();
    group.join();
} catch (const std::exception& error) {
    return std::cerr << "echo_by_hand: " << error.what() << '\n', 1;
}
