// Relays each connection to another server: proxy [ADDRESS [SERVER]]
#include <iostream>
#include <optional>

#include <nio/nio.h>

// A client, and then its server.
class Session final : public nio::PacketChannelListener,
                      public nio::ConnectorListener,
                      public std::enable_shared_from_this<Session> {
  public:
    explicit Session(const std::string& address)
        : address_(nio::SocketAddress::parse(address).orThrow()) {}

    void channelOpened(nio::PacketChannel& peer) override {
        if (client_ != nullptr) {
            // From here on bytes flow both ways, with backpressure, until both have ended.
            if (!nio::pipe(*client_, peer)) client_->abort(), peer.abort();
            return;
        }
        client_ = &peer;
        peer.pauseReading();  // until the server is there
        connector_.emplace(peer.dispatcher(), *this);
        connector_->connectNow(address_);
    }
    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override {
        auto server = std::make_unique<nio::PacketChannel>(
            std::move(channel), std::make_unique<nio::RawDecoder>(), shared_from_this());
        const auto registered =
            connector.dispatcher().registerChannelNow(std::move(server), nio::Interest::read);
        if (!registered) connectionFailed(connector, registered.error());
    }
    void connectionFailed(nio::Connector&, const nio::Error& error) override {
        std::cerr << "proxy: " << error.message() << '\n';
        client_->abort();
    }
    void packetArrived(nio::PacketChannel&, nio::ByteView) override {}  // reading is paused
    // One has gone: give up a connect in flight.
    void socketDisconnected(nio::PacketChannel&) override { connector_.reset(); }
    void socketException(nio::PacketChannel&, const nio::Error&) override { connector_.reset(); }

  private:
    const nio::SocketAddress address_;
    nio::PacketChannel* client_ = nullptr;
    std::optional<nio::Connector> connector_;
};

int main(int count, char** words) try {
    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7009";
    const auto session = [=] {
        return std::make_shared<Session>(count > 2 ? words[2] : "127.0.0.1:7007");
    };
    nio::Server server(std::move(options), nio::packetHandlers(nio::raw(), session));
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "proxy: " << error.what() << '\n', 1;
}
