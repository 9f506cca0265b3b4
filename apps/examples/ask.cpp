// Sends a line to a server and prints the answer: ask [ADDRESS]
#include <iostream>

#include <nio/nio.h>

int main(int count, char** words) try {
    nio::PacketCallbacks talk;
    talk.opened = [](auto& server) { server.send("hello"); };
    talk.packetArrived = [](auto& server, nio::ByteView line) {
        std::cout << nio::asText(line) << '\n';
        server.closeAfterFlush();
    };
    nio::SelectorThread dispatcher;
    nio::Client client(dispatcher, count > 1 ? words[1] : "127.0.0.1:7007", nio::lines(), talk);
    client.run().orThrow();
} catch (const std::exception& error) {
    return std::cerr << "ask: " << error.what() << '\n', 1;
}
