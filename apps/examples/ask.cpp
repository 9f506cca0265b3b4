// Sends a line to a server and prints the answer: ask [ADDRESS]
#include <iostream>

#include <nio/nio.h>

struct Question {
    void opened(auto& server) { server.send("hello"); }
    void read(auto& server, std::string_view line) {
        std::cout << line << '\n';
        server.closeAfterFlush();
    }
};

int main(int count, char** words) try {
    nio::SelectorThread dispatcher;
    nio::Client client(dispatcher, count > 1 ? words[1] : "127.0.0.1:7007", nio::lines(),
                       Question());
    client.run().orThrow();
} catch (const std::exception& error) {
    return std::cerr << "ask: " << error.what() << '\n', 1;
}
