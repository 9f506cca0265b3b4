// Two sessions back to back: what one gives to the network, the other gets in pieces of any size.
//
// Thread: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>

#include <nio-tls/TlsSession.h>

namespace support {

class TextSink final : public nio::ByteSink {
  public:
    void append(nio::ByteView bytes) override { text += nio::asText(bytes); }
    std::string text;
};

// One side, and what it has seen.
struct TlsSide {
    std::unique_ptr<nio::TlsSession> session;
    TextSink network{};
    std::size_t said = 0;  // of that, already given to the other side
    TextSink plain{};
    std::optional<nio::Error> error{};

    void note(const nio::Result<void>& result) {
        if (!result && !error) error = result.error();
    }
    void begin() { note(session->begin(network)); }
    void send(std::string_view text) { note(session->encode(nio::asBytes(text), network)); }
    void finish() { note(session->finish(network)); }
    // The next piece for the other side, at most so long.
    std::string_view say(std::size_t longest) {
        if (said == network.text.size()) {
            network.text.clear();
            said = 0;
        }
        const std::string_view piece = std::string_view(network.text).substr(said, longest);
        said += piece.size();
        return piece;
    }
    void take(std::string_view bytes) {
        if (!error) note(session->decode(nio::asBytes(bytes), plain, network));
    }
    bool isUp() const { return !error && session->isReady(); }
    std::string trouble() const { return error ? error->message() : "none"; }
};

struct TlsPair {
    TlsSide client;
    TlsSide server;
    std::mt19937 random{1};
    std::size_t longestPiece = 3000;

    // Until neither has anything to say.
    void talk() {
        for (bool more = true; more;) {
            const bool toServer = carry(client, server);
            more = carry(server, client) || toServer;
        }
    }
    void shakeHands() {
        server.begin();
        client.begin();
        talk();
    }

  private:
    bool carry(TlsSide& from, TlsSide& to) {
        std::uniform_int_distribution<std::size_t> length(1, longestPiece);
        const std::string_view piece = from.say(length(random));
        if (!piece.empty()) to.take(piece);
        return !piece.empty();
    }
};

}  // namespace support
