// main() is no dispatcher's turn.
#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>

int main() {
    nio::SelectorThread dispatcher;
    nio::SocketChannel channel{nio::UniqueFd()};
    dispatcher.addChannelInterestNow(channel, nio::Interest::read);  // must not compile
    (void)dispatcher.addChannelInterestLater({}, nio::Interest::read);
}
