#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "support/RecordingHandler.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/connection/PacketChannel.h>

namespace {

class PacketHandleTest : public testing::Test {
  protected:
    PacketHandleTest() {
        dispatcher.inTurn([&] { handle = channel.handle(); });
    }

    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    const std::shared_ptr<support::ScriptedListener> listener =
        std::make_shared<support::ScriptedListener>();
    support::Journal journal;
    support::TestDispatcher dispatcher;
    nio::PacketChannel& channel = dispatcher.add(
        std::make_unique<nio::PacketChannel>(std::move(link.channel),
                                             std::make_unique<nio::LineDecoder>(8), listener),
        nio::Interest::read);
    nio::PacketHandle handle;
};

TEST_F(PacketHandleTest, SendsFromAnotherThread) {
    std::thread other([&] {
        EXPECT_TRUE(handle.send("one"));
        EXPECT_TRUE(handle.send(nio::asBytes("two")));
    });
    other.join();
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
}

TEST_F(PacketHandleTest, GivesATaskItsChannel) {
    nio::PacketChannel* found = nullptr;
    EXPECT_TRUE(handle.invokeLater([&](nio::PacketChannel& given) { found = &given; }));
    dispatcher.turns(2);
    EXPECT_EQ(found, &channel);
}

TEST_F(PacketHandleTest, DropsWhatIsForAnEndedConnection) {
    dispatcher.inTurn([&] { channel.abort(); });
    bool ran = false;
    EXPECT_TRUE(handle.invokeLater([&](nio::PacketChannel&) { ran = true; }));
    dispatcher.turns(2);
    EXPECT_FALSE(ran);
    EXPECT_EQ(dispatcher->moves().droppedTasks(), 1U);
}

TEST_F(PacketHandleTest, FindsNoOtherHandlerOfItsChannel) {
    dispatcher.inTurn([&] {
        auto next =
            std::make_unique<support::RecordingHandler>(channel.takeChannel(), "next", journal);
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(next), nio::Interest::read));
    });
    bool ran = false;
    EXPECT_TRUE(handle.invokeLater([&](nio::PacketChannel&) { ran = true; }));
    dispatcher.turns(2);
    EXPECT_FALSE(ran);
}

TEST_F(PacketHandleTest, SendsNothingAfterItsDispatcherStopped) {
    dispatcher->requestClose({.deadline = std::chrono::milliseconds::zero()});
    while (dispatcher.turn()) {
    }
    EXPECT_FALSE(handle.send("late"));
}

TEST_F(PacketHandleTest, AnEmptyOneSendsNothing) {
    EXPECT_FALSE(nio::PacketHandle().send("nowhere"));
}

TEST_F(PacketHandleTest, ARefusedPacketEndsTheConnectionBehindTheOthers) {
    EXPECT_TRUE(handle.send("before"));
    EXPECT_TRUE(handle.send("this is too long"));
    EXPECT_TRUE(handle.send("behind"));
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(7), "before\n");
    link.peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return listener->failed == 1; }));
}

}  // namespace
