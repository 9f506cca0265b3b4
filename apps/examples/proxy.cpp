// Relays each connection to another server: proxy [ADDRESS [SERVER]]
#include <iostream>
#include <optional>

#include <nio/nio.h>

// A client until its server is there.
class Session final : public nio::ConnectorListener {
  public:
    Session(nio::Peer& client, const nio::SocketAddress& server)
        : client_(client), connector_(client.dispatcher(), *this) {
        client_.pauseReading();
        connector_.connectNow(server);
    }
    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override {
        // From here on bytes flow both ways, with backpressure, until both have ended.
        const auto server = nio::pipeline(nio::raw(), Server{client_});
        const auto registered = connector.dispatcher().registerChannelNow(
            server(std::move(channel)), nio::Interest::read);
        if (!registered) connectionFailed(connector, registered.error());
    }
    void connectionFailed(nio::Connector&, const nio::Error& error) override {
        std::cerr << "proxy: " << error.message() << '\n';
        client_.abort();
    }

  private:
    struct Server {
        nio::Peer& client;

        void opened(auto& peer) {
            if (!nio::pipe(client, peer)) client.abort(), peer.abort();
        }
        void read(auto&, nio::ByteView) {}  // the relay's
    };

    nio::Peer& client_;
    nio::Connector connector_;
};

struct Client {
    nio::SocketAddress server;
    std::shared_ptr<Session> session{};

    void opened(auto& peer) { session = std::make_shared<Session>(peer, server); }
    void read(auto&, nio::ByteView) {}       // reading is paused, and then the relay's
    void closed(auto&) { session.reset(); }  // gives up a connect in flight
};

int main(int count, char** words) try {
    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7009";
    const nio::SocketAddress target =
        nio::SocketAddress::parse(count > 2 ? words[2] : "127.0.0.1:7007").orThrow();
    nio::Server server(std::move(options), nio::pipeline(nio::raw(), Client{target}));
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "proxy: " << error.what() << '\n', 1;
}
