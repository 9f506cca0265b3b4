// What runs on the other dispatcher?
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

void make(nio::SelectorThread& dispatcher) {
    const auto ignore = [](auto&, std::string_view) {};
    (void)nio::pipeline(nio::lines(), nio::on(dispatcher), ignore);
    (void)nio::pipeline(nio::lines(), nio::on(dispatcher));  // must not compile: behind nio::on()
}
