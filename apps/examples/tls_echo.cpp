// Sends back each line over TLS: tls_echo ADDRESS CERTIFICATE KEY
#include <iostream>

#include <nio-tls/Tls.h>
#include <nio/nio.h>

int main(int count, char** words) try {
    if (count != 4) return std::cerr << "usage: tls_echo ADDRESS CERTIFICATE KEY\n", 2;
    const auto context = nio::TlsContext::server({words[2], words[3]}).orThrow();
    nio::Server server(words[1], nio::tls(context), nio::lines(),
                       [](auto& peer, std::string_view line) { peer.send(line); });
    std::cout << "listening on " << server.address().toString() << std::endl;
    server.run();
} catch (const std::exception& error) {
    return std::cerr << "tls_echo: " << error.what() << '\n', 1;
}
