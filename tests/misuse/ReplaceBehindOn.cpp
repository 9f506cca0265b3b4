// The socket is with the other half of the pipeline.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

void make(nio::SelectorThread& dispatcher) {
    const auto next = nio::pipeline(nio::lines(), [](auto&, std::string_view) {});
    (void)nio::pipeline(nio::lines(), nio::on(dispatcher), [next](auto& peer, std::string_view) {
        nio::onDispatcher.assertCurrent();
        (void)peer.replaceWith(next).ok();  // must not compile: replaceWith() is for what stands
        peer.closeAfterFlush();
    });
}
