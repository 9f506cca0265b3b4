// Sends each line of a client to all of them, on whichever dispatchers they are: chat [ADDRESS]
#include <iostream>
#include <mutex>
#include <vector>

#include <nio/nio.h>

class Chat {
  public:
    void enter(nio::PacketHandle client) {
        const std::lock_guard lock(mutex_);
        everybody_.push_back(std::move(client));
    }
    void say(std::string_view line) {
        const std::lock_guard lock(mutex_);
        for (const nio::PacketHandle& one : everybody_) {
            const auto sent = one.send(line);
            if (!sent && !hasLeft(sent.error())) std::cerr << "chat: a slow client loses a line\n";
        }
    }
    void leave(const nio::PacketHandle& client) {
        const std::lock_guard lock(mutex_);
        std::erase(everybody_, client);
    }

  private:
    // Its closed() waits for the mutex, or the server stops.
    static bool hasLeft(const nio::Error& error) {
        return error.is(nio::Errc::notRegistered) || error.is(nio::Errc::stopped);
    }

    std::mutex mutex_;  // connections of all dispatchers share this object
    std::vector<nio::PacketHandle> everybody_;
};

// One client: each connection has a copy.
struct Client {
    Chat& chat;

    void opened(auto& peer) { chat.enter(peer.handle()); }
    void read(auto&, std::string_view line) {
        while (line.ends_with('\r')) line.remove_suffix(1);  // lines() cannot send it
        chat.say(line);
    }
    void closed(auto& peer) { chat.leave(peer.handle()); }
};

int main(int count, char** words) try {
    nio::ServerOptions options;
    options.address = count > 1 ? words[1] : "127.0.0.1:7008";
    Chat chat;
    nio::Server server(std::move(options), nio::pipeline(nio::lines(), Client{chat}));
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "chat: " << error.what() << '\n', 1;
}
