// A ChannelHandle does not know what its handler is; a PipelineHandle does.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

using Made = decltype(nio::pipeline(nio::lines(), [](auto&, nio::ByteView) {}))::Made;

void close(nio::SelectorThread& dispatcher, nio::PipelineHandle<Made> handle) {
    const auto task = [](Made& connection) {
        nio::onDispatcher.assertCurrent();
        connection.closeAfterFlush();
    };
    (void)handle.invokeLater(task);
    (void)dispatcher.invokeLater(handle, task);  // must not compile: takes nio::SelectorHandler&
    (void)dispatcher.name();
}
