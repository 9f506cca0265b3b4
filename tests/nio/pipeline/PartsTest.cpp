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

struct Greedy {
    using In = nio::ByteStream;
    std::size_t read(auto&, nio::ByteView bytes) { return bytes.size() + 1; }
};

TEST_F(PartsTest, TakingMoreThanWasShownIsAnError) {
    add(nio::pipeline(Greedy(), Recorder{&seen}));
    link.peer.send("abc");
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(dispatcher.failures.size(), 1U);
    EXPECT_NE(dispatcher.failures[0].find("read() has returned more than it was shown"),
              std::string::npos);
    EXPECT_EQ(seen.back(), "closed");
}

struct Quits {
    std::size_t* unread;
    void read(auto& peer, std::string_view) { peer.abort(); }
    void closed(auto& peer) { *unread = peer.remains().unreadBytes; }
};

TEST_F(PartsTest, ThePacketInDeliveryIsNotUnread) {
    std::size_t unread = 0;
    add(nio::pipeline(nio::lines(), Quits{&unread}));
    link.peer.send("quit\nrest\n");
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(unread, 5U);
}

}  // namespace
}  // namespace pipelinetest
