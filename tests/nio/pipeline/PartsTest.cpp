// Stages that take a part of the bytes they are shown.
#include <nio/pipeline/Pipeline.h>

#include "PipelineCase.h"

namespace pipelinetest {
namespace {

class PartsTest : public PipelineCase {};

struct Drip {
    using In = nio::ByteStream;
    std::size_t read(auto& context, nio::ByteView bytes) {
        context.read(bytes.first(1));
        return 1;
    }
};

TEST_F(PartsTest, ACallThatTakesNothingIsNotLimited) {
    add(nio::pipeline(Drip(), nio::lines(), Recorder{&seen}).with({.maxPacketsPerTurn = 1}));
    link.peer.send("abc\n");
    for (int turns = 0; turns < 50 && seen.size() < 2; ++turns) dispatcher.turn();
    EXPECT_EQ(seen, (Strings{"opened", "abc"}));
}

}  // namespace
}  // namespace pipelinetest
