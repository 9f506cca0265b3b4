// A ChannelHandle does not know what its handler is; a PacketHandle does.
#include <nio/connection/PacketChannel.h>
#include <nio/loop/SelectorThread.h>

void close(nio::SelectorThread& dispatcher, nio::PacketHandle handle) {
    const auto task = [](nio::PacketChannel& channel) {
        nio::onDispatcher.assertCurrent();
        channel.closeAfterFlush();
    };
    (void)handle.invokeLater(task);
    (void)dispatcher.invokeLater(handle, task);  // must not compile: takes nio::SelectorHandler&
    (void)dispatcher.name();
}
