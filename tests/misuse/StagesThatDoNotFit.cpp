// The second framing would get packets, where it needs the stream.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

void serve() {
    const auto echo = [](auto& peer, std::string_view line) { (void)peer, (void)line; };
    const auto lines = nio::lines();
    (void)nio::pipeline(lines, lines, echo);  // must not compile: a stage's In must be what
    (void)nio::pipeline(lines, echo);
}
