// Sends each line back: coroutine_echo [ADDRESS]
#include <iostream>

#include <nio/coroutine/CoroutineApplication.h>
#include <nio/nio.h>

nio::Coroutine<> echo(nio::CoroutinePeer<>& peer) {
    while (auto line = co_await peer.read()) co_await peer.write(*line);
}

int main(int count, char** words) try {
    nio::Server server(count > 1 ? words[1] : "127.0.0.1:7012", nio::lines(), nio::coroutine(echo));
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "coroutine_echo: " << error.what() << '\n', 1;
}
