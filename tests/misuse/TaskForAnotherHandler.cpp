// A ChannelHandle does not know what its handler is; a PipelineHandle does.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

struct Ignore {
    void read(auto&, nio::ByteView) {}
};
using Made = nio::Pipeline<nio::Framed<nio::LineDecoder>, Ignore>;

void close(nio::SelectorThread& dispatcher, nio::PipelineHandle<Made> handle) {
    const auto task = [](Made& connection) {
        nio::onDispatcher.assertCurrent();
        connection.closeAfterFlush();
    };
    (void)handle.invokeLater(task);
    (void)dispatcher.invokeLater(handle, task);  // must not compile: takes nio::SelectorHandler&
    (void)dispatcher.name();
}
