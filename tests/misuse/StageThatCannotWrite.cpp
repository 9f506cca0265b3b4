// A stage writes to its context, which this one does not take.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

struct Mute {
    void write(nio::ByteView) {}
};
struct Deaf final {
    void write(auto&, nio::ByteView) {}
};

void serve() {
    const auto ignore = [](auto&, std::string_view) {};
    (void)nio::pipeline(nio::lines(), Mute(), ignore);  // must not compile: write must be called as
    (void)nio::pipeline(nio::lines(), Deaf(), ignore);
}
