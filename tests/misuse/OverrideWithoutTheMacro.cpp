// An override repeats the macro: without it nothing says that the body runs on a dispatcher.
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

class Handler final : public nio::ReadWriteSelectorHandler {
  public:
    nio::SelectableChannel& channel() override { return channel_; }

    void handleRead() override NIO_REQUIRES(nio::onDispatcher) {
        dispatcher().addChannelInterestNow(channel_, nio::Interest::read);
    }
    void handleWrite() override {
        dispatcher().addChannelInterestNow(channel_, nio::Interest::read);  // must not compile
    }

  private:
    nio::SocketChannel channel_{nio::UniqueFd()};
};
