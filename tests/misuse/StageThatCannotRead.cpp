// Bytes reach a stage as a ByteView: this one would be passed by.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

template <class Text>
struct Upper {
    void read(auto& context, Text text) { context.read(text); }
};

void serve() {
    const auto ignore = [](auto&, std::string_view) {};
    const Upper<std::string_view> upper;
    (void)nio::pipeline(nio::lines(), upper, ignore);  // must not compile: read must be called as
    (void)nio::pipeline(nio::lines(), Upper<nio::ByteView>(), ignore);
    (void)upper;
}
