#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include "support/PacketChannel.h"

namespace {

class PipelineHandleTest : public testing::Test {
  protected:
    PipelineHandleTest() {
        dispatcher.inTurn([&] { handle = channel.handle(); });
    }

    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    const std::shared_ptr<support::ScriptedListener> listener =
        std::make_shared<support::ScriptedListener>();
    support::TestDispatcher dispatcher;
    support::PacketChannel& channel =
        dispatcher.add(support::makeChannel(std::move(link.channel),
                                            std::make_unique<nio::LineDecoder>(8), listener),
                       nio::Interest::read);
    nio::PipelineHandle<support::PacketChannel> handle;
};

TEST_F(PipelineHandleTest, SendsFromAnotherThread) {
    std::thread other([&] {
        EXPECT_TRUE(handle.send("one"));
        EXPECT_TRUE(handle.send(nio::asBytes("two")));
    });
    other.join();
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
}

TEST_F(PipelineHandleTest, GivesATaskItsChannel) {
    support::PacketChannel* found = nullptr;
    EXPECT_TRUE(handle.invokeLater([&](support::PacketChannel& given) { found = &given; }));
    dispatcher.turns(2);
    EXPECT_EQ(found, &channel);
}

TEST_F(PipelineHandleTest, DropsWhatIsForAnEndedConnection) {
    dispatcher.inTurn([&] { channel.abort(); });
    bool ran = false;
    EXPECT_TRUE(handle.invokeLater([&](support::PacketChannel&) { ran = true; }));
    dispatcher.turns(2);
    EXPECT_FALSE(ran);
    EXPECT_EQ(dispatcher->moves().droppedTasks(), 1U);
}

TEST_F(PipelineHandleTest, FindsNoOtherHandlerOfItsChannel) {
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        ASSERT_TRUE(channel.replaceWith(nio::pipeline(nio::raw(), [](auto&, nio::ByteView) {})));
    });
    bool ran = false;
    EXPECT_TRUE(handle.invokeLater([&](support::PacketChannel&) { ran = true; }));
    dispatcher.turns(2);
    EXPECT_FALSE(ran);
}

TEST_F(PipelineHandleTest, SendsNothingAfterItsDispatcherStopped) {
    dispatcher->requestClose({.deadline = std::chrono::milliseconds::zero()});
    while (dispatcher.turn()) {
    }
    EXPECT_FALSE(handle.send("late"));
}

TEST_F(PipelineHandleTest, AnEmptyOneSendsNothing) {
    EXPECT_FALSE(nio::PacketHandle().send("nowhere"));
}

TEST_F(PipelineHandleTest, ARefusedPacketEndsTheConnectionBehindTheOthers) {
    EXPECT_TRUE(handle.send("before"));
    EXPECT_TRUE(handle.send("this is too long"));
    EXPECT_TRUE(handle.send("behind"));
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(7), "before\n");
    link.peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->failed == 1; }));
}

}  // namespace
