// Connections with one end for a dispatcher and one for the test.
//
// Every wait is bounded by kerneltest::patience, which is far more than any of them needs.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <nio/channel/SocketChannel.h>
#include <nio/sys/Kernel.h>

#include "nio/sys/KernelTesting.h"

namespace support {

// The test's end.
class Peer {
  public:
    explicit Peer(nio::UniqueFd fd) : fd_(std::move(fd)) {}

    int fd() const { return fd_.get(); }
    void close() { fd_.reset(); }
    void finish() { nio::kernel::shutdownWrite(fd()).orThrow(); }

    void send(std::string_view text) {
        for (nio::ByteView left = nio::asBytes(text); !left.empty();) {
            const nio::IoResult sent = nio::kernel::send(fd(), left);
            ASSERT_FALSE(sent.isFailed()) << sent.error().message();
            left = left.subspan(sent.bytes);
            if (!left.empty()) {
                ASSERT_TRUE(nio::kerneltest::waitFor(fd(), POLLOUT));
            }
        }
    }

    // Fills the connection until the kernel takes no more; returns how much that was.
    std::size_t sendUntilFull() {
        const std::string block(64 * 1024, 'x');
        for (std::size_t total = 0;;) {
            const nio::IoResult sent = nio::kernel::send(fd(), nio::asBytes(block));
            if (!sent.isDone()) return total;
            total += sent.bytes;
        }
    }

    // Exactly so many bytes, or fewer at the end of the stream.
    std::string receive(std::size_t count) {
        std::string text;
        std::array<nio::Byte, 4096> block;
        while (text.size() < count) {
            const std::size_t wanted = std::min(block.size(), count - text.size());
            last_ = nio::kernel::receive(fd(), {block.data(), wanted});
            if (last_.isDone()) text += nio::asText({block.data(), last_.bytes});
            if (last_.status == nio::IoStatus::closed || last_.isFailed()) break;
            if (!last_.isDone() && !nio::kerneltest::waitFor(fd(), POLLIN)) break;
        }
        return text;
    }
    // To the end of the stream.
    std::string receiveAll() { return receive(SIZE_MAX); }
    // What has come by now, without waiting.
    std::string receiveWhatIsThere() {
        std::string text;
        std::array<nio::Byte, 4096> block;
        for (;;) {
            last_ = nio::kernel::receive(fd(), block);
            if (!last_.isDone()) return text;
            text += nio::asText({block.data(), last_.bytes});
        }
    }
    // How the last receive ended.
    const nio::IoResult& last() const { return last_; }

  private:
    nio::UniqueFd fd_;
    nio::IoResult last_ = nio::IoResult::wouldBlock();
};

struct Link {
    nio::SocketChannel channel;
    Peer peer;
};

inline Link makeLink() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    return {nio::SocketChannel(nio::UniqueFd(ends[0])), Peer(nio::UniqueFd(ends[1]))};
}

inline Link makeLink(nio::SocketAddress::Family family) {
    nio::kerneltest::ConnectedPair pair(family);
    return {nio::SocketChannel(std::move(pair.server)), Peer(std::move(pair.client))};
}

}  // namespace support
