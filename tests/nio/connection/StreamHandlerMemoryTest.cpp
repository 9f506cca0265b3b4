// Connections and the memory budget of their dispatchers: what counts, and who is not read.
#include <nio/connection/StreamHandler.h>

#include <gtest/gtest.h>

#include "nio/connection/MemoryTesting.h"
#include "support/Engines.h"

#include <nio/codec/LengthFieldDecoder.h>
#include "support/PacketChannel.h"

namespace {

using support::KeepingStream;
using support::KiB;
using support::Link;
using support::makeLink;
using support::MiB;
using support::TestDispatcher;
using Connection = support::SilentConnection;

using StreamHandlerMemoryTest = support::MemoryTesting;

TEST_F(StreamHandlerMemoryTest, WithoutABudgetNothingIsCountedAndNobodyIsStopped) {
    TestDispatcher dispatcher;
    Connection one = connect(dispatcher);
    fill(dispatcher, one, 12 * MiB);
    dispatcher.inTurn([&] { EXPECT_FALSE(dispatcher->memory().pausesReading()); });
    EXPECT_TRUE(isRead(dispatcher, one));
}

TEST_F(StreamHandlerMemoryTest, OutputThatWaitsCountsUntilItHasLeft) {
    begin();
    Connection one = connect(a());
    EXPECT_EQ(budget->figures().bytes, 0U);
    fill(a(), one, MiB);
    EXPECT_GE(budget->figures().bytes, one.stream->pendingBytes());
    EXPECT_LE(budget->figures().bytes, one.stream->pendingBytes() + 80 * KiB) << "whole chunks";
    ASSERT_TRUE(a().turnUntil([&] {
        one.peer.receiveWhatIsThere();
        return one.stream->pendingBytes() == 0;
    }));
    EXPECT_EQ(budget->figures().bytes, 0U);
}

TEST_F(StreamHandlerMemoryTest, OutputCountsNoMoreWhenItsConnectionIsClosed) {
    begin();
    Connection aborted = connect(a());
    Connection closed = connect(a());
    fill(a(), aborted, MiB);
    fill(a(), closed, MiB);
    a().inTurn([&] { aborted.stream->abort(); });
    a().inTurn([&] { closed.stream->channel().close(); });
    EXPECT_EQ(budget->figures().bytes, 0U);
}

TEST_F(StreamHandlerMemoryTest, OutputCountsWhereItsConnectionIs) {
    begin();
    Connection one = connect(a());
    fill(a(), one, MiB);
    const std::size_t before = budget->figures().bytes;
    a().inTurn([&] { ASSERT_TRUE(a()->moves().moveNow(one.stream->channel(), *b()).ok()); });
    turnBoth(4);
    ASSERT_EQ(&one.stream->dispatcher(), &*b());
    EXPECT_EQ(budget->figures().bytes, before);
    a().inTurn([&] { EXPECT_EQ(a()->metrics().bufferedBytes, 0U); });
    b().inTurn([&] { EXPECT_EQ(b()->metrics().bufferedBytes, before); });
}

TEST_F(StreamHandlerMemoryTest, OutputCountsForTheHandlerThatTakesTheChannelOver) {
    begin();
    Connection one = connect(a());
    fill(a(), one, MiB);
    const std::size_t before = budget->figures().bytes;
    a().inTurn([&] {
        auto next = std::make_unique<KeepingStream>(std::move(one.stream->channel()), roomy());
        ASSERT_TRUE(a()->registerChannelNow(std::move(next), nio::Interest::read).ok());
    });
    EXPECT_EQ(budget->figures().bytes, before);
}

TEST_F(StreamHandlerMemoryTest, InputOfAnIncompletePacketCounts) {
    begin();
    Link link = makeLink();
    class Listener final : public support::PacketListener {
        void packetArrived(support::PacketChannel&, nio::ByteView) override {}
    };
    a().add(
        support::makeChannel(std::move(link.channel), std::make_unique<nio::LengthFieldDecoder>(),
                             std::make_shared<Listener>()),
        nio::Interest::read);
    const std::string length{0, 1, 0, 0};  // 64 KiB
    link.peer.send(length + std::string(500, 'x'));
    a().turns(2);
    EXPECT_EQ(budget->figures().bytes, 0U) << "a few bytes are not worth it";
    link.peer.send(std::string(40'000, 'x'));
    a().turns(4);
    EXPECT_GE(budget->figures().bytes, 40'000U);
    link.peer.send(std::string(64 * KiB - 40'500, 'x'));
    a().turns(4);
    EXPECT_EQ(budget->figures().bytes, 0U);
}

TEST_F(StreamHandlerMemoryTest, WhoHoldsOutputIsNotReadWhileMemoryIsShort) {
    begin();
    Connection large = connect(a());
    Connection small = connect(a());
    Connection none = connect(a());
    fillALittle(a(), small);
    EXPECT_TRUE(isRead(a(), small));
    fill(a(), large, 81 * 10 * MiB / 100);
    EXPECT_FALSE(isRead(a(), large));
    EXPECT_FALSE(isRead(a(), small)) << "it was told, although nothing happened on it";
    EXPECT_TRUE(isRead(a(), none));
    EXPECT_EQ(budget->figures().paused, 2U);
}

TEST_F(StreamHandlerMemoryTest, AStoppedConnectionIsReadAgainWhenItsOutputHasLeft) {
    begin();
    Connection large = connect(a());
    Connection small = connect(a());
    fillALittle(a(), small);
    fill(a(), large, 81 * 10 * MiB / 100);
    ASSERT_FALSE(isRead(a(), small));
    ASSERT_TRUE(a().turnUntil([&] {
        small.peer.receiveWhatIsThere();
        return small.seen->arrived == "!";
    })) << "memory is as short as before";
}

TEST_F(StreamHandlerMemoryTest, AnotherConnectionsFreedMemoryResumesReads) {
    begin();
    Connection large = connect(a());
    Connection small = connect(a());
    fillALittle(a(), small);
    fill(a(), large, 81 * 10 * MiB / 100);
    ASSERT_FALSE(isRead(a(), small));
    a().inTurn([&] { large.stream->abort(); });
    EXPECT_TRUE(a().turnUntil([&] { return small.seen->arrived == "!"; }));
    EXPECT_GT(small.stream->pendingBytes(), 0U) << "its own output waits as before";
}

TEST_F(StreamHandlerMemoryTest, AnotherDispatchersFreedMemoryResumesReads) {
    begin();
    Connection large = connect(a());
    Connection small = connect(b());
    fillALittle(b(), small);
    fill(a(), large, 81 * 10 * MiB / 100);
    b().turns(2);
    ASSERT_FALSE(isRead(b(), small)) << "the alarm has reached b";
    a().inTurn([&] { large.stream->abort(); });
    EXPECT_TRUE(b().turnUntil([&] { return small.seen->arrived == "!"; }))
        << "a makes no turn any more: b looks for itself";
}

TEST_F(StreamHandlerMemoryTest, APausedConnectionMayMigrateToNoBudget) {
    begin();
    TestDispatcher free("free");
    Connection large = connect(a());
    Connection small = connect(a());
    fillALittle(a(), small);
    fill(a(), large, 81 * 10 * MiB / 100);
    ASSERT_FALSE(isRead(a(), small));
    a().inTurn([&] { ASSERT_TRUE(a()->moves().moveNow(small.stream->channel(), *free).ok()); });
    EXPECT_TRUE(free.turnUntil([&] {
        a().turn();
        return small.seen->arrived == "!";
    }));
    small.peer.close();
    free.turns(3);
}

TEST_F(StreamHandlerMemoryTest, TheHighMarkStillPausesReadsAfterAShortage) {
    begin();
    nio::StreamOptions marked = roomy();
    marked.outputHighMark = 256 * KiB;
    Connection large = connect(a());
    Connection small = connect(a(), marked);
    fill(a(), small, 300 * KiB);
    ASSERT_FALSE(isRead(a(), small));
    fill(a(), large, 81 * 10 * MiB / 100);
    a().inTurn([&] { large.stream->abort(); });
    ASSERT_TRUE(a().turnUntil([&] {
        bool pauses = true;
        a().inTurn([&] { pauses = a()->memory().pausesReading(); });
        return !pauses;
    }));
    a().turns(3);
    EXPECT_EQ(small.seen->arrived, "") << "it is above its low mark";
    EXPECT_TRUE(a().turnUntil([&] {
        small.peer.receiveWhatIsThere();
        return small.seen->arrived == "!";
    }));
}

// Pauses behind the second piece.
class Pausing final : public nio::StreamHandler {
  public:
    explicit Pausing(nio::SocketChannel channel)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()) {}
    int pieces = 0;

  protected:
    void bytesArrived(nio::ByteView) override {
        if (++pieces == 2) pauseReading();
    }
};

// io_uring has received it before its reader stopped.
TEST_F(StreamHandlerMemoryTest, InputThatCameBeforeAPauseCounts) {
    if (!support::isEngineHere(nio::SelectorKind::uring)) GTEST_SKIP();
    begin();
    nio::SelectorThreadOptions options = with(budget);
    options.selector.kind = nio::SelectorKind::uring;
    options.selector.receiveBufferBytes = 4096;
    TestDispatcher dispatcher("uring", options);
    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    Pausing& stream =
        dispatcher.add(std::make_unique<Pausing>(std::move(link.channel)), nio::Interest::read);
    link.peer.send("calm");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.pieces == 1; }));
    dispatcher.turn();
    link.peer.send(std::string(20 * 4096, 'x'));
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.pieces == 2; }));
    dispatcher.turns(3);
    EXPECT_EQ(dispatcher->metrics().bufferedBytes, stream.channel().unreadBytes());
    dispatcher.inTurn([&] { stream.resumeReading(); });
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->metrics().bufferedBytes == 0; }));
}

// io_uring has taken it, and the socket has not.
TEST_F(StreamHandlerMemoryTest, OutputThatWasHandedOverAndFellShortCounts) {
    if (!support::isEngineHere(nio::SelectorKind::uring)) GTEST_SKIP();
    begin();
    nio::SelectorThreadOptions options = with(budget);
    options.selector.kind = nio::SelectorKind::uring;
    TestDispatcher dispatcher("uring", options);
    std::list<Connection> silent;
    const std::string block(60 * KiB, 'x');
    std::size_t pending = 0;
    for (int i = 0; i < 20; ++i) {
        Connection& one = silent.emplace_back(connect(dispatcher));
        nio::kernel::setSendBufferBytes(one.stream->channel().fd(), 4096).orThrow();
        dispatcher.inTurn([&] { one.stream->send(nio::asBytes(block)); });
        dispatcher.turns(3);
        pending += one.stream->pendingBytes();
    }
    EXPECT_GT(pending, 0U);
    EXPECT_GE(budget->figures().bytes, pending);
}

}  // namespace
