// The pipeline gives each event the stage's context, the application the peer.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

struct Forgets {
    void read(auto&, std::string_view) {}
    void closed() {}
};
struct Notes {
    void read(auto&, std::string_view) {}
    void closed(auto&) {}
    bool opened = false;
};

void serve() {
    (void)nio::pipeline(nio::lines(), Forgets());  // must not compile: closed must be called as
    (void)nio::pipeline(nio::lines(), Notes());
}
