#include <nio/pipeline/Pipeline.h>

#include <algorithm>
#include <stdexcept>

#include "PipelineCase.h"

namespace pipelinetest {
namespace {

class PipelineSendTest : public PipelineCase {};

// Answers by itself what it knows.
struct Cache {
    void write(auto& context, nio::ByteView request) {
        if (nio::asText(request) == "known") return context.read(request);
        context.write(request);
    }
};

struct Asks {
    int* left;
    int* depth;
    int* deepest;
    void read(auto& peer, std::string_view) {
        *deepest = std::max(*deepest, ++*depth);
        if (--*left > 0) peer.send("known");
        --*depth;
    }
};

TEST_F(PipelineSendTest, AnswersFromInsideAWriteDoNotRecurse) {
    int left = 1000, depth = 0, deepest = 0;
    add(nio::pipeline(nio::lines(), Cache(), Asks{&left, &depth, &deepest}));
    link.peer.send("go\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return left == 0; }));
    EXPECT_EQ(deepest, 1);
}

struct HeadThenThrows {
    using In = nio::ByteStream;
    using Out = nio::Packet;
    void read(auto& context, nio::ByteView bytes) { context.read(bytes); }
    void write(auto& context, nio::ByteView body) {
        context.write(std::string_view("HEAD"));
        if (body.empty()) throw std::runtime_error("no body");
        context.write(body);
    }
};

struct Catches {
    void read(auto& peer, std::string_view) {
        try {
            peer.sendThrough("");
        } catch (const std::runtime_error&) {
            peer.send("more");
        }
    }
};

TEST_F(PipelineSendTest, NothingFollowsHalfAnItemSentThrough) {
    add(nio::pipeline(HeadThenThrows(), Catches()));
    link.peer.send("go");
    EXPECT_TRUE(turnUntilEnded());
}

struct ThrowsOnce {
    bool thrown = false;
    void write(auto& context, nio::ByteView bytes) {
        if (!std::exchange(thrown, true)) throw std::runtime_error("once");
        context.write(bytes);
    }
};

struct SendsAgain {
    void read(auto& peer, std::string_view) {
        try {
            peer.send("x");
        } catch (const std::runtime_error&) {
            peer.send("again");
            peer.closeAfterFlush();
        }
    }
};

TEST_F(PipelineSendTest, AnExceptionBeforeTheFirstByteIsHarmless) {
    add(nio::pipeline(ThrowsOnce(), SendsAgain()));
    link.peer.send("go");
    dispatcher.turns(3);
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receiveAll(), "again");
}

}  // namespace
}  // namespace pipelinetest
