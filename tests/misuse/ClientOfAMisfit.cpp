// One error, although the client has no use for the rest of it.
#include <nio/codec/LineDecoder.h>
#include <nio/net/Client.h>

void run(nio::SelectorThread& dispatcher) {
    const auto wrong = [](auto&, int) {};
    const auto right = [](auto&, std::string_view) {};
    nio::Client(dispatcher, "127.0.0.1:1", nio::lines(), wrong);  // must not compile: (auto& peer,
    nio::Client(dispatcher, "127.0.0.1:1", nio::lines(), right);
    (void)wrong;
}
