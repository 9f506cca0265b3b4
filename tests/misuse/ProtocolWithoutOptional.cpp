// No answer must be possible.
#include <optional>
#include <string>

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

template <class Answer>
struct Protocol {
    Answer process(const std::string& line) { return line; }
    bool shouldTerminate() const { return false; }
};

void serve() {
    (void)nio::pipeline(nio::lines(), Protocol<std::string>());  // must not compile: std::optional
    (void)nio::pipeline(nio::lines(), Protocol<std::optional<std::string>>());
}
