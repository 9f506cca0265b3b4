// A posted lambda begins with assertCurrent(): the compiler cannot know where it will run.
#include <nio/loop/SelectorThread.h>

void post(nio::SelectorThread& dispatcher, nio::ChannelHandle handle) {
    (void)dispatcher.invokeLater([&dispatcher, handle] {
        nio::onDispatcher.assertCurrent();
        (void)dispatcher.findNow(handle);
    });
    (void)dispatcher.invokeLater([&dispatcher, handle] {
        (void)dispatcher.findNow(handle);  // must not compile
        (void)handle.slot();
        (void)dispatcher.name();
    });
}
