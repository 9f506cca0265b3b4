// What it has not taken of the stream would be lost.
#include <nio/pipeline/PipelineFactory.h>

template <class Count>
struct Cut {
    Count read(auto& context, nio::ByteView bytes) {
        context.read(bytes.first(1));
        return 1;
    }
};

void serve() {
    const auto ignore = [](auto&, std::string_view) {};
    (void)nio::pipeline(Cut<int>(), ignore);  // must not compile: read returns void, or
    (void)nio::pipeline(Cut<std::size_t>(), ignore);
}
