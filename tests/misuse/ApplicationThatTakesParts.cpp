// What it has not taken would be lost: only a stage takes a part of the bytes.
#include <nio/pipeline/PipelineFactory.h>

struct Parts {
    std::size_t read(auto&, nio::ByteView) { return 1; }
};
struct Whole final {
    void read(auto&, nio::ByteView) {}
};

void serve() {
    (void)nio::pipeline(Parts());  // must not compile: read returns void
    (void)nio::pipeline(Whole());
}
