// Registration goes by type: a handler that could serve as two things is registered as neither.
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

class Both : public nio::ReadWriteSelectorHandler, public nio::ConnectSelectorHandler {};

void registerIt(nio::SelectorThread& dispatcher) NIO_REQUIRES(nio::onDispatcher) {
    std::unique_ptr<Both> both;
    (void)dispatcher.registerChannelLater(std::move(both), {});  // must not compile: exactly one of
}
