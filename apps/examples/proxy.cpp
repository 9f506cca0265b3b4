// Relays each connection to another server: proxy [ADDRESS [SERVER]]
#include <iostream>
#include <optional>

#include <nio/nio.h>

class Session final : public nio::PacketChannelListener {
  public:
    explicit Session(std::string address) : address_(std::move(address)) {}

    void channelOpened(nio::PacketChannel& client) override {
        client.pauseReading();  // until the server is there
        nio::PacketCallbacks callbacks;
        callbacks.opened = [&client](nio::PacketChannel& server) {
            // From here on bytes flow both ways, with backpressure, until both have ended.
            if (!nio::pipe(client, server)) client.abort(), server.abort();
        };
        auto failed = [&client](const nio::Error& error) {
            std::cerr << "proxy: " << error.message() << '\n';
            client.abort();
        };
        server_.emplace(client.dispatcher(), address_, nio::raw(), callbacks, failed);
        server_->connectNow();
    }
    void packetArrived(nio::PacketChannel&, nio::ByteView) override {}  // reading is paused
    // The client has gone: give up a connect in flight.
    void socketDisconnected(nio::PacketChannel&) override { server_.reset(); }
    void socketException(nio::PacketChannel&, const nio::Error&) override { server_.reset(); }

  private:
    const std::string address_;
    std::optional<nio::Client> server_;
};

int main(int count, char** words) try {
    nio::Server server(count > 1 ? words[1] : "127.0.0.1:7009", nio::raw(), [=] {
        return std::make_shared<Session>(count > 2 ? words[2] : "127.0.0.1:7007");
    });
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "proxy: " << error.what() << '\n', 1;
}
