// The application of a pipeline as callables, for tests that care about events, not about types.
//
// Thread: the connection's dispatcher; connections of several dispatchers have copies of their own.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <nio/connection/StreamHandler.h>

namespace support {

struct Callbacks {
    // The connection, and how to send through its stages.
    struct Peer {
        nio::StreamHandler& connection;
        std::function<void(std::string_view)> send;

        nio::StreamHandler* operator->() const { return &connection; }
    };
    using Event = std::function<void(const Peer&)>;

    Event onOpened{};
    std::function<void(const Peer&, std::string_view)> onPacket{};
    Event onFlushed{};
    Event onFinished{};
    std::function<void(const Peer&, const std::optional<nio::Error>& reason)> onClosed{};
    std::optional<nio::Error> reason{};

    void opened(auto& peer) { tell(onOpened, peer); }
    void read(auto& peer, std::string_view packet) {
        if (onPacket) onPacket(seen(peer), packet);
    }
    void flushed(auto& peer) { tell(onFlushed, peer); }
    void peerFinished(auto& peer) { onFinished ? tell(onFinished, peer) : peer.closeAfterFlush(); }
    void failed(auto&, const nio::Error& error) { reason = error; }
    void closed(auto& peer) {
        if (onClosed) onClosed(seen(peer), reason);
    }

  private:
    static Peer seen(auto& peer) {
        return {peer, [&peer](std::string_view text) { peer.send(text); }};
    }
    static void tell(const Event& event, auto& peer) {
        if (event) event(seen(peer));
    }
};

}  // namespace support
