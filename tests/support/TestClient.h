// The other end of a connection, in the hands of a test: it does what the test says and no more,
// and never blocks, so that one thread can be client and server.
//
// Thread: that of its test.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nio/sys/Kernel.h>

namespace support {

struct TestClientOptions {
    int receiveBufferBytes = 0;  // 0: the system's choice, which grows
    int sendBufferBytes = 0;
    std::optional<nio::SocketAddress> source{};
};

class TestClient {
  public:
    // How the server's bytes ended.
    enum class End { none, finished, reset };

    explicit TestClient(const nio::SocketAddress& server, const TestClientOptions& options = {})
        : fd_(nio::kernel::openStreamSocket(server.family()).orThrow()) {
        if (options.receiveBufferBytes > 0) {
            nio::kernel::setReceiveBufferBytes(fd(), options.receiveBufferBytes).orThrow();
        }
        if (options.sendBufferBytes > 0) {
            nio::kernel::setSendBufferBytes(fd(), options.sendBufferBytes).orThrow();
        }
        if (options.source) nio::kernel::bindSource(fd(), *options.source).orThrow();
        if (nio::kernel::connect(fd(), server).isDone()) return;
        pollfd entry{fd(), POLLOUT, 0};
        (void)nio::kernel::waitPoll({&entry, 1}, std::chrono::seconds(20)).orThrow();
        const nio::IoResult outcome = nio::kernel::connectOutcome(fd());
        // A slow test may find a connection that the server has reset already.
        if (outcome.code == std::errc::connection_reset) {
            end_ = End::reset;
        } else if (outcome.isFailed()) {
            outcome.error("test client").raise();
        }
    }

    int fd() const { return fd_.get(); }
    bool isOpen() const { return static_cast<bool>(fd_); }

    // Leaves with the next pumps.
    void send(std::string_view bytes) { unsent_.append(bytes); }
    // FIN behind what is still to be sent.
    void finish() { finishes_ = true; }
    void stopReading() { reads_ = false; }
    void goOnReading() { reads_ = true; }
    // With RST; what the server has sent and is not read here is destroyed.
    void reset() {
        nio::kernel::setResetOnClose(fd()).orThrow();
        fd_.reset();
    }
    void close() { fd_.reset(); }

    // Sends what the kernel takes, reads what is there.
    void pump() {
        if (!isOpen()) return;
        pumpOut();
        if (reads_) pumpIn();
    }

    const std::string& received() const { return received_; }
    bool hasReceived(std::string_view all) const { return received_ == all; }
    End end() const { return end_; }
    bool hasEnded() const { return end_ != End::none; }
    std::size_t unsentBytes() const { return unsent_.size() - sent_; }
    std::size_t sentBytes() const { return sent_; }

  private:
    void pumpOut() {
        while (sent_ < unsent_.size()) {
            const auto rest = nio::asBytes(std::string_view(unsent_).substr(sent_));
            const nio::IoResult result = nio::kernel::send(fd(), rest);
            if (!result.isDone()) return;
            sent_ += result.bytes;
        }
        if (!finishes_) return;
        finishes_ = false;
        (void)nio::kernel::shutdownWrite(fd()).ok();
    }

    void pumpIn() {
        nio::Bytes buffer(64 * 1024);
        while (end_ == End::none) {
            const nio::IoResult result = nio::kernel::receive(fd(), buffer);
            if (result.status == nio::IoStatus::wouldBlock) return;
            if (result.status == nio::IoStatus::closed) end_ = End::finished;
            if (result.isFailed()) end_ = End::reset;
            received_.append(nio::asText(nio::ByteView(buffer).first(result.bytes)));
        }
    }

    nio::UniqueFd fd_;
    std::string unsent_;
    std::size_t sent_ = 0;
    std::string received_;
    bool reads_ = true;
    bool finishes_ = false;
    End end_ = End::none;
};

inline bool isListening(const nio::SocketAddress& address) {
    try {
        const TestClient client(address);
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

}  // namespace support
