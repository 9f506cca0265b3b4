// A line is not a number.
#include <optional>
#include <string>

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

template <class Message>
struct Protocol {
    std::optional<std::string> process(Message) { return std::nullopt; }
    bool shouldTerminate() const { return false; }
};

void serve() {
    (void)nio::pipeline(nio::lines(), Protocol<int>());  // must not compile: needs process(item)
    (void)nio::pipeline(nio::lines(), Protocol<nio::ByteView>());
}
