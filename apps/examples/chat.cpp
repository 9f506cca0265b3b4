// Sends each line of a client to all of them, on whichever dispatchers they are: chat [ADDRESS]
#include <iostream>
#include <mutex>
#include <vector>

#include <nio/nio.h>

class Chat final : public nio::PacketChannelListener {
  public:
    void channelOpened(nio::PacketChannel& peer) override {
        const std::lock_guard lock(mutex_);
        everybody_.push_back(peer.handle());
    }
    void packetArrived(nio::PacketChannel&, nio::ByteView line) override {
        const std::lock_guard lock(mutex_);
        for (const nio::PacketHandle& one : everybody_) {
            if (!one.send(line)) std::cerr << "chat: a client is slow or gone, a line is lost\n";
        }
    }
    void socketDisconnected(nio::PacketChannel& peer) override { forget(peer); }
    void socketException(nio::PacketChannel& peer, const nio::Error&) override { forget(peer); }

  private:
    void forget(nio::PacketChannel& peer) {
        const std::lock_guard lock(mutex_);
        std::erase(everybody_, peer.handle());
    }
    std::mutex mutex_;  // connections of all dispatchers share this listener
    std::vector<nio::PacketHandle> everybody_;
};

int main(int count, char** words) try {
    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7008";
    const auto chat = std::make_shared<Chat>();
    nio::Server server(std::move(options), nio::packetHandlers(nio::lines(), chat));
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "chat: " << error.what() << '\n', 1;
}
