#include <nio/pipeline/Pipeline.h>

#include <algorithm>
#include <functional>

#include "PipelineCase.h"

#include <nio/codec/RawDecoder.h>

namespace pipelinetest {
namespace {

class PipelinePauseTest : public PipelineCase {};

TEST_F(PipelinePauseTest, TheRestOfAChunkIsKeptUntilResumed) {
    auto& peer = add(nio::pipeline(nio::lines(), OneAtATime{{&seen}}));
    link.peer.send("1\n2\n3\nincomplete");
    dispatcher.turns(3);
    EXPECT_EQ(seen, (Strings{"opened", "1"}));
    EXPECT_EQ(peer.remains().unreadBytes, 14U);
    resume(dispatcher, peer);
    EXPECT_EQ(seen.back(), "2");
    resume(dispatcher, peer);
    resume(dispatcher, peer);
    EXPECT_EQ(seen, (Strings{"opened", "1", "2", "3"}));
    link.peer.send(".\n");
    dispatcher.turns(2);
    EXPECT_EQ(seen.back(), "incomplete.");
}

TEST_F(PipelinePauseTest, ItemsOfAnyStageAreKeptInOrder) {
    auto& peer = add(nio::pipeline(nio::lines(), Twice(), Twice(), OneAtATime{{&seen}}));
    link.peer.send("a\nb\n");
    dispatcher.turns(3);
    EXPECT_EQ(seen.size(), 2U);
    for (int i = 0; i < 10; ++i) resume(dispatcher, peer);
    EXPECT_EQ(seen, (Strings{"opened", "a", "a", "a", "a", "b", "b", "b", "b"}));
    EXPECT_EQ(peer.remains().unreadBytes, 0U);
}

struct Nested : Recorder {
    int* depth;
    int* deepest;
    void read(auto& peer, std::string_view packet) {
        *deepest = std::max(*deepest, ++*depth);
        seen->emplace_back(packet);
        peer.pauseReading();
        peer.resumeReading();
        --*depth;
    }
};

TEST_F(PipelinePauseTest, ResumingInsideIsNotRecursive) {
    int depth = 0, deepest = 0;
    add(nio::pipeline(nio::lines(), Twice(), Nested{{&seen}, &depth, &deepest}));
    link.peer.send("1\n2\n3\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 7; }));
    EXPECT_EQ(deepest, 1);
}

struct Valve {
    std::function<void()>* open;
    void read(auto& context, nio::ByteView packet) {
        context.pauseReading();
        *open = [context]() mutable {
            nio::onDispatcher.assertCurrent();
            context.resumeReading();
        };
        context.read(packet);
    }
};

TEST_F(PipelinePauseTest, AStageAndTheApplicationPauseIndependently) {
    std::function<void()> open;
    auto& peer = add(nio::pipeline(nio::lines(), Valve{&open}, OneAtATime{{&seen}}));
    link.peer.send("1\n2\n");
    dispatcher.turns(3);
    EXPECT_EQ(seen, (Strings{"opened"})) << "the stage had paused before it gave the packet";
    resume(dispatcher, peer);
    EXPECT_EQ(seen, (Strings{"opened"})) << "the application had not paused";
    dispatcher.inTurn(open);
    dispatcher.turns(2);
    EXPECT_EQ(seen, (Strings{"opened", "1"}));
    dispatcher.inTurn(open);
    dispatcher.turns(2);
    EXPECT_EQ(seen, (Strings{"opened", "1"})) << "the application has paused";
    resume(dispatcher, peer);
    dispatcher.inTurn(open);
    dispatcher.turns(2);
    EXPECT_EQ(seen, (Strings{"opened", "1", "2"}));
}

TEST_F(PipelinePauseTest, OneTurnTakesALimitedNumberOfPackets) {
    add(nio::pipeline(nio::lines(), Recorder{&seen}).with({.maxPacketsPerTurn = 2}));
    link.peer.send("1\n2\n3\n4\n5\n");
    dispatcher.turn();
    EXPECT_EQ(seen.size(), 3U);
    dispatcher.turn();
    EXPECT_EQ(seen.size(), 5U);
    dispatcher.turn();
    EXPECT_EQ(seen.size(), 6U);
}

struct Floods : Recorder {
    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        peer.send(std::string(1024 * 1024, 'x'));
    }
    void aboveMark(auto&) { seen->push_back("above"); }
    void belowMark(auto&) { seen->push_back("below"); }
};

TEST_F(PipelinePauseTest, OutputAboveTheMarkStopsDelivery) {
    add(nio::pipeline(nio::raw(), Twice(), Floods{{&seen}}).with({.outputHighMark = 1024}));
    link.peer.send("1");
    dispatcher.turns(3);
    link.peer.send("2");
    dispatcher.turns(3);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "2"), 0);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "above"), 1);
    ASSERT_TRUE(dispatcher.turnUntil([&] {
        (void)link.peer.receiveWhatIsThere();
        return std::count(seen.begin(), seen.end(), "2") == 2;
    }));
}

struct LastWords {
    void peerFinished(auto& context) {
        context.read(nio::asBytes("last"));
        context.read(nio::asBytes("words"));
    }
};

// What a stage gives at the end of stream comes before it.
TEST_F(PipelinePauseTest, TheEndOfStreamWaitsForWhatIsKept) {
    auto& peer = add(nio::pipeline(nio::lines(), LastWords(), OneAtATime{{&seen}}));
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    dispatcher.turns(2);
    EXPECT_EQ(seen, (Strings{"opened", "last"}));
    resume(dispatcher, peer);
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "last", "words", "peer finished", "closed"}));
}

struct Loop {
    void write(auto& context, nio::ByteView bytes) {
        if (nio::asText(bytes) == "back\n") return context.read(bytes);
        context.write(bytes);
    }
};

struct Turns : Recorder {
    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        if (packet == "1") peer.send("back");
    }
};

struct Whole {
    using In = nio::Packet;
    using Out = nio::Packet;
    void write(auto& context, nio::ByteView packet) {
        context.write(std::string(nio::asText(packet)));
    }
};

struct Pieces {
    using In = nio::ByteStream;
    nio::Bytes line;
    void write(auto& context, nio::ByteView bytes) {
        line.insert(line.end(), bytes.begin(), bytes.end());
        if (line.empty() || line.back() != std::byte('\n')) return;
        const nio::Bytes whole = std::exchange(line, {});
        context.write(whole);
    }
};

// A stage that turns output back: it is taken after what is in delivery.
TEST_F(PipelinePauseTest, InputFromInsideAWriteIsNotRecursive) {
    add(nio::pipeline(Loop(), Pieces(), nio::lines(), Whole(), Turns{{&seen}}));
    link.peer.send("1\n2\n");
    dispatcher.turns(3);
    EXPECT_EQ(seen, (Strings{"opened", "1", "2", "back"}));
}

}  // namespace
}  // namespace pipelinetest
