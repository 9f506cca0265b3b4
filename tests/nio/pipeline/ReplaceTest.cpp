// A connection that goes on with another pipeline.
#include <nio/pipeline/Pipeline.h>

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/RawDecoder.h>

#include "PipelineCase.h"
#include "ToyStage.h"

namespace pipelinetest {
namespace {

using namespace std::string_literals;

class ReplaceTest : public PipelineCase {};

// Answers "ready" to the first line, and goes on with packets behind a length.
struct Upgrades {
    Strings* seen;
    Strings* after;

    void read(auto& peer, std::string_view line) {
        nio::onDispatcher.assumeCurrent();
        seen->emplace_back(line);
        peer.send("ready");
        auto next = nio::pipeline(nio::lengthPrefixed(), Recorder{after});
        EXPECT_TRUE(peer.replaceWith(next).ok());
        peer.send("nobody");
        EXPECT_TRUE(peer.replaceWith(next).error().is(std::errc::not_connected));
    }
    void closed(auto&) { seen->push_back("closed"); }
};

TEST_F(ReplaceTest, WhatFollowsInTheSameReadIsTheOthers) {
    Strings after;
    add(nio::pipeline(nio::lines(), Upgrades{&seen, &after}));
    link.peer.send("upgrade\n\0\0\0\3one\0\0"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() >= 2; }));
    link.peer.send("\0\3two"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() == 3; }));
    EXPECT_EQ(link.peer.receive(6), "ready\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, Strings{"upgrade"});
    std::erase(after, "flushed");
    EXPECT_EQ(after, (Strings{"opened", "one", "two", "peer finished", "closed"}));
}

TEST_F(ReplaceTest, WhatAPauseHasKeptIsTheOthersToo) {
    Strings after;
    auto& old = add(nio::pipeline(nio::lines(), OneAtATime{{&seen}}));
    link.peer.send("pause\none\nt");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    link.peer.send("wo\n");
    dispatcher.inTurn(
        [&] { EXPECT_TRUE(old.replaceWith(nio::pipeline(nio::lines(), Recorder{&after})).ok()); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() == 3; }));
    EXPECT_EQ(after, (Strings{"opened", "one", "two"}));
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(ReplaceTest, BytesThatARawPauseHasKeptAreTheOthers) {
    Strings after;
    auto& old = add(nio::pipeline(OneAtATime{{&seen}}));
    link.peer.send("first");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    link.peer.send("one\ntwo\n");
    dispatcher.inTurn(
        [&] { EXPECT_TRUE(old.replaceWith(nio::pipeline(nio::lines(), Recorder{&after})).ok()); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() == 3; }));
    EXPECT_EQ(after, (Strings{"opened", "one", "two"}));
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(ReplaceTest, AStageThatEncodesTheStreamCannotBe) {
    auto& old = add(nio::pipeline(support::ToyStage(), nio::lines(), Recorder{&seen}));
    dispatcher.turns(2);
    dispatcher.inTurn([&] {
        const auto next = nio::pipeline(nio::lines(), Recorder{&seen});
        EXPECT_TRUE(old.replaceWith(next).error().is(std::errc::operation_not_supported));
        old.abort();
    });
}

// Twice has given two of each packet already: they are no bytes of the stream any more.
TEST_F(ReplaceTest, WhatAStageHasMadeCannotBePassedOn) {
    auto& old = add(nio::pipeline(nio::lines(), Twice(), OneAtATime{{&seen}}));
    link.peer.send("packet\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    dispatcher.inTurn([&] {
        const auto refused = old.replaceWith(nio::pipeline(nio::lines(), Recorder{&seen}));
        EXPECT_TRUE(refused.error().is(std::errc::operation_not_supported));
    });
    resume(dispatcher, old);
    EXPECT_EQ(seen, (Strings{"opened", "packet", "packet"}));
}

}  // namespace
}  // namespace pipelinetest
