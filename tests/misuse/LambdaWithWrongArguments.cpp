// A lambda that does not take a connection and a packet serves nothing.
#include <nio/net/Server.h>

void serve() {
    const auto numbers = [](int) {};
    nio::DecoderFactory lines;
    nio::Server server("127.0.0.1:0", lines, numbers);  // must not compile: packets are served by
    (void)numbers;
}
