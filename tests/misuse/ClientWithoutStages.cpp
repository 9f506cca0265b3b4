// A client of nothing would wait for ever.
#include <nio/codec/LineDecoder.h>
#include <nio/net/Client.h>

void run(nio::SelectorThread& dispatcher) {
    const auto ignore = [](auto&, std::string_view) {};
    nio::Client(dispatcher, "127.0.0.1:1");  // must not compile: no matching
    nio::Client(dispatcher, "127.0.0.1:1", nio::lines(), ignore);
}
