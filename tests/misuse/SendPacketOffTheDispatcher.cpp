// Another thread does not send by itself: a handle does, or a task.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

using Made = decltype(nio::pipeline(nio::lines(), [](auto&, nio::ByteView) {}))::Made;

void answer(nio::PipelineHandle<Made> handle, Made& connection) {
    connection.send("answer");  // must not compile
    (void)handle.send("answer");
    (void)handle.invokeLater([](Made& found) {
        nio::onDispatcher.assertCurrent();
        found.send("answer");
    });
}
