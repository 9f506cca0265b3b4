// Several dispatchers may call a lambda at the same time: one that changes itself is refused.
#include <nio/net/Client.h>

void ask(nio::SelectorThread& dispatcher) {
    nio::DecoderFactory lines;
    auto counts = [count = 0](auto&, nio::ByteView) mutable { ++count; };
    nio::Client(dispatcher, "127.0.0.1:0", lines, counts);  // must not compile: not mutable
    (void)counts;
}
