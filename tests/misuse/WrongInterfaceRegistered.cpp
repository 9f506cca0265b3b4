// A handler that implements none of the three interfaces can be registered for nothing.
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

class Idle final : public nio::SelectorHandler {
  public:
    nio::SelectableChannel& channel() override { return channel_; }

  private:
    nio::SocketChannel channel_{nio::UniqueFd()};
};

void registerIt(nio::SelectorThread& dispatcher) NIO_REQUIRES(nio::onDispatcher) {
    std::unique_ptr<Idle> idle;
    (void)dispatcher.registerChannelNow(std::move(idle), {});  // must not compile: exactly one of
}
