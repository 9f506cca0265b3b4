// Sends each line back to its client: echo_server [ADDRESS]
#include <iostream>

#include <nio/nio.h>

int main(int count, char** words) try {
    nio::Server server(count > 1 ? words[1] : "127.0.0.1:7007", nio::lines(),
                       [](auto& peer, std::string_view line) { peer.send(line); });
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();  // until SIGINT or SIGTERM, then drains
} catch (const std::exception& error) {
    return std::cerr << "echo_server: " << error.what() << '\n', 1;
}
