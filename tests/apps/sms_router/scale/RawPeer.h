// A connection of a peer that does not care about SMPP: octets, and its end.
//
// Thread: one at a time. Every wait is bounded by `patience`.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include <nio/sys/Kernel.h>

#include "apps/sms_router/scenarios/SmppPeer.h"

namespace router::scenarios {

class RawPeer {
  public:
    explicit RawPeer(const nio::SocketAddress& router) : fd_(connectTo(router)) {}

    // False: the connection is over.
    bool send(nio::ByteView octets) {
        const nio::TimePoint end = nio::Clock::after(patience);
        while (!octets.empty() && nio::Clock::now() < end) {
            const nio::IoResult sent = nio::kernel::send(fd_.get(), octets);
            if (sent.isFailed()) return false;
            octets = octets.subspan(sent.bytes);
            if (!octets.empty()) await(POLLOUT, std::chrono::milliseconds(100));
        }
        return octets.empty();
    }
    // The block again and again, each whole, until nothing more is taken for a while. Nothing: the
    // connection is over.
    std::optional<std::size_t> sendWhileItTakes(nio::ByteView block, std::size_t most) {
        std::size_t total = 0;
        while (total < most) {
            const nio::ByteView rest = block.subspan(total % block.size());
            const nio::IoResult sent = nio::kernel::send(fd_.get(), rest);
            if (sent.isFailed()) return std::nullopt;
            total += sent.bytes;
            if (!sent.isDone() && !await(POLLOUT, std::chrono::milliseconds(300))) return total;
        }
        return total;
    }
    void finish() { (void)nio::kernel::shutdownWrite(fd_.get()).ok(); }
    void reset() {
        nio::kernel::setResetOnClose(fd_.get()).orThrow();
        fd_.reset();
    }
    // Whatever comes, up to the end; false: there is none.
    bool readToTheEnd() {
        nio::Bytes block(64 * 1024);
        const nio::TimePoint end = nio::Clock::after(patience);
        while (nio::Clock::now() < end) {
            const nio::IoResult result = nio::kernel::receive(fd_.get(), block);
            if (result.isDone()) continue;
            if (result.status != nio::IoStatus::wouldBlock) return true;
            await(POLLIN, patience);
        }
        return false;
    }
    // So that little of what it does not read is in the kernel.
    void shrinkBuffer() { nio::kernel::setReceiveBufferBytes(fd_.get(), 4096).orThrow(); }

  private:
    bool await(short events, std::chrono::milliseconds time) {
        pollfd entry{fd_.get(), events, 0};
        return nio::kernel::waitPoll({&entry, 1}, time).orThrow() > 0;
    }

    nio::UniqueFd fd_;
};

}  // namespace router::scenarios
