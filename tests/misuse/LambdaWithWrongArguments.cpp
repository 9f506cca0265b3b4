// The stages give packets; this application takes numbers.
#include <nio/codec/LineDecoder.h>
#include <nio/net/Server.h>

void serve() {
    const auto numbers = [](auto&, int) {};
    nio::Server server("127.0.0.1:0", nio::lines(), numbers);  // must not compile: the application
    (void)numbers;
}
