// The stages give packets; this application takes numbers.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

void serve() {
    const auto numbers = [](auto&, int) {};
    (void)nio::pipeline(nio::lines(), numbers);  // must not compile: the application is a copyable
    (void)numbers;
}
