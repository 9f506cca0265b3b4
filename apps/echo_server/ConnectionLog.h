// --verbose: a stage that writes a line on standard error when a connection opens and when it has
// ended: with the time, what it has received and sent, and how long it was open.
//
// Thread: the connection's dispatcher; copies any. Lines of different dispatchers do not mix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nio/connection/StreamHandler.h>

namespace echo {

std::string peerOf(nio::StreamHandler& connection);
// "2026-11-27T08:15:00.123Z what: PEER how" on standard error.
void logConnection(std::string_view what, std::string_view peer, std::string_view how);

class ConnectionLog {
  public:
    explicit ConnectionLog(bool isWanted) : isWanted_(isWanted) {}

    void opened(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        openedAt_ = nio::Clock::now();
        if (!isWanted_) return;
        peer_ = peerOf(context.connection());
        logConnection("connected", peer_, placeOf(context.connection()));
    }
    void read(auto& context, nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        received_ += bytes.size();
        context.read(bytes);
    }
    void write(auto& context, nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        sent_ += bytes.size();
        context.write(bytes);
    }
    void failed(auto&, const nio::Error& error) { failure_ = error.message(); }
    void closed(auto& context) {
        // Without what stages in front of this hold. Behind TLS: in records, a little longer.
        sent_ -= std::min<std::uint64_t>(sent_, context.connection().channel().pendingBytes());
        if (isWanted_) logConnection("disconnected", peer_, account());
    }

  private:
    static std::string placeOf(nio::StreamHandler& connection) NIO_REQUIRES(nio::onDispatcher);
    std::string account() const;

    bool isWanted_;
    nio::TimePoint openedAt_{};
    std::uint64_t received_ = 0;
    std::uint64_t sent_ = 0;  // at the end: what the kernel has taken
    std::string peer_;        // the socket does not know it any more at the end
    std::string failure_;
};

}  // namespace echo
