// Each connection gets a copy of each stage.
#include <memory>

#include <nio/pipeline/PipelineFactory.h>

struct Owner {
    std::unique_ptr<int> owned;
};

void serve() {
    const auto ignore = [](auto&, nio::ByteView) {};
    (void)nio::pipeline(Owner(), ignore);  // must not compile: they must be copyable
    (void)ignore;
}
