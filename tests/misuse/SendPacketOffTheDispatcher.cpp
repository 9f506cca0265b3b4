// Another thread does not send by itself: it posts.
#include <nio/connection/PacketChannel.h>
#include <nio/loop/SelectorThread.h>

void answer(nio::SelectorThread& dispatcher, nio::ChannelHandle handle,
            nio::PacketChannel& channel) {
    (void)channel.sendPacket(nio::asBytes("answer"));  // must not compile
    (void)channel.name();
    (void)dispatcher.invokeLater(handle, [](nio::SelectorHandler& found) {
        nio::onDispatcher.assertCurrent();
        (void)static_cast<nio::PacketChannel&>(found).sendPacket(nio::asBytes("answer"));
    });
}
