// Another thread does not send by itself: a handle does, or a task.
#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

struct Ignore {
    void read(auto&, nio::ByteView) {}
};
using Made = nio::Pipeline<nio::Framed<nio::LineDecoder>, Ignore>;

void answer(nio::PipelineHandle<Made> handle, Made& connection) {
    connection.send("answer");  // must not compile
    (void)handle.send("answer");
    (void)handle.invokeLater([](Made& found) {
        nio::onDispatcher.assertCurrent();
        found.send("answer");
    });
}
