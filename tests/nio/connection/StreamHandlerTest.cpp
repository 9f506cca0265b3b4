#include "nio/connection/StreamCase.h"

namespace {

using streams::Stream;
using support::TestDispatcher;

using StreamHandlerTest = streams::StreamCase;

// One for each idle connection.
static_assert(sizeof(void*) != 8 || sizeof(nio::StreamHandler) <= 136);

TEST_F(StreamHandlerTest, IsSilentWhileSomebodyElseHasItsChannel) {
    Stream& stream = add();
    std::optional<nio::SocketChannel> taken;
    dispatcher.inTurn([&] { taken.emplace(std::move(stream.channel())); });
    link.peer.send("x");
    dispatcher.turns(2);
    EXPECT_EQ(stream.arrived, "");
    EXPECT_TRUE(dispatcher.misuses.empty());
    dispatcher.inTurn([&] { taken.reset(); });
}

TEST_F(StreamHandlerTest, WhatIsSentWhenItOpensComesFirst) {
    add([](Stream& stream) {
        stream.onOpened = [&stream] { stream.send(nio::asBytes("welcome")); };
    });
    EXPECT_EQ(link.peer.receive(7), "welcome");
}

TEST_F(StreamHandlerTest, WhatASingleCallbackSendsIsToldFlushedOnce) {
    Stream& stream = add();
    stream.onBytes = [&](std::string_view) {
        for (int i = 0; i < 5; ++i) stream.send(nio::asBytes("answer "));
        EXPECT_EQ(stream.pendingBytes(), 35U) << "it leaves when the callback returns";
    };
    link.peer.send("question");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.flushed > 0; }));
    EXPECT_EQ(link.peer.receive(35), "answer answer answer answer answer ");
    dispatcher.turns(3);
    EXPECT_EQ(stream.flushed, 1);
}

TEST_F(StreamHandlerTest, WhatATaskSendsLeavesInTheSameTurn) {
    Stream& stream = add();
    dispatcher.inTurn([&] { stream.send(nio::asBytes("news")); });
    EXPECT_EQ(link.peer.receive(4), "news");
    EXPECT_EQ(stream.flushed, 1);
}

TEST_F(StreamHandlerTest, SendingFromOutputFlushedDoesNotRecurse) {
    int deepest = 0;
    int depth = 0;
    Stream& stream = add();
    stream.onFlushed = [&] {
        deepest = std::max(deepest, ++depth);
        if (stream.flushed < 1000) stream.send(nio::asBytes("x"));
        --depth;
    };
    dispatcher.inTurn([&] { stream.send(nio::asBytes("x")); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.flushed == 1000; }));
    EXPECT_EQ(deepest, 1);
    EXPECT_EQ(link.peer.receive(1000), std::string(1000, 'x'));
}

TEST_F(StreamHandlerTest, SendThroughOutsideACallbackIsToldFlushedToo) {
    Stream& stream = add();
    dispatcher.inTurn([&] { stream.sendThrough(nio::asBytes("straight")); });
    EXPECT_EQ(link.peer.receive(8), "straight");
    dispatcher.turn();
    EXPECT_EQ(stream.flushed, 1);
}

TEST_F(StreamHandlerTest, SendThroughKeepsTheOrderBehindWhatWaits) {
    Stream& stream = add();
    dispatcher.inTurn([&] {
        stream.send(nio::asBytes("first "));
        stream.sendThrough(nio::asBytes("second "));
        stream.send(nio::asBytes("third"));
    });
    EXPECT_EQ(link.peer.receive(18), "first second third");
}

TEST_F(StreamHandlerTest, WhilePausedTheBytesStayInTheKernel) {
    Stream& stream = add();
    dispatcher.inTurn([&] { stream.pauseReading(); });
    link.peer.send("early");
    dispatcher.turns(5);
    EXPECT_EQ(stream.arrived, "");
    EXPECT_TRUE(stream.isReadingPaused());
    dispatcher.inTurn([&] { stream.resumeReading(); });
    EXPECT_TRUE(dispatcher.turnUntil([&] { return stream.arrived == "early"; }));
}

TEST_F(StreamHandlerTest, WhoIsPausedByATaskGetsNothingInThatTurnEither) {
    Stream& stream = add();
    stream.onFinished = [] {};  // it stays
    link.peer.send("early");
    link.peer.finish();
    dispatcher.inTurn([&] { stream.pauseReading(); });
    dispatcher.turns(3);
    EXPECT_EQ(stream.arrived, "");
    EXPECT_EQ(stream.finished, 0);
    dispatcher.inTurn([&] { stream.resumeReading(); });
    EXPECT_TRUE(dispatcher.turnUntil([&] { return stream.finished == 1; }));
    EXPECT_EQ(stream.arrived, "early");
}

TEST_F(StreamHandlerTest, PausedBeforeItIsRegisteredItStartsPaused) {
    Stream& stream = add([](Stream& fresh) { fresh.pauseReading(); });
    link.peer.send("early");
    dispatcher.turns(5);
    EXPECT_EQ(stream.arrived, "");
}

TEST_F(StreamHandlerTest, RevisitedInputComesInTheNextTurnWithoutReadiness) {
    Stream& stream = add();
    dispatcher.inTurn([&] { stream.revisitInput(); });
    if (stream.revisited == 0) dispatcher.turn();
    EXPECT_EQ(stream.revisited, 1);
    dispatcher.turns(3);
    EXPECT_EQ(stream.revisited, 1);
}

TEST_F(StreamHandlerTest, WhatIsSentThroughWhenAllHasLeftIsToldFlushedAgain) {
    Stream& stream = add();
    stream.onBytes = [&](std::string_view) { stream.sendThrough(nio::asBytes("one ")); };
    stream.onFlushed = [&] {
        if (stream.flushed == 1) stream.sendThrough(nio::asBytes("two "));
        if (stream.flushed == 2) stream.send(nio::asBytes("three"));
    };
    link.peer.send("?");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.flushed == 3; }));
    EXPECT_EQ(link.peer.receive(13), "one two three");
}

TEST_F(StreamHandlerTest, ResumedBeforeItIsRegisteredItStartsReading) {
    Stream& stream = add([](Stream& made) {
        made.pauseReading();
        made.resumeReading();
    });
    link.peer.send("x");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.arrived == "x"; }));
}

TEST_F(StreamHandlerTest, APermitFollowsItsConnectionIntoANewHandler) {
    auto gate = std::make_shared<nio::ConnectionGate>(1);
    ASSERT_TRUE(gate->enter());
    Stream& first = add([&](Stream& stream) { stream.keep(nio::ConnectionPermit(gate)); });
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        auto channel = std::move(static_cast<nio::SocketChannel&>(first.channel()));
        auto second = std::make_unique<Stream>(std::move(channel), nio::StreamOptions());
        second->keep(first.takePermit());
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(second), nio::Interest::read));
    });
    dispatcher.turns(2);  // the first is gone
    EXPECT_EQ(gate->open(), 1U);
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return gate->open() == 0; }));
}

TEST_F(StreamHandlerTest, CallsFromAForeignThreadAreRefused) {
    Stream& stream = add();
    EXPECT_THROW(stream.send(nio::asBytes("x")), nio::WrongThreadError);
    EXPECT_THROW(stream.sendThrough(nio::asBytes("x")), nio::WrongThreadError);
    EXPECT_THROW(stream.pauseReading(), nio::WrongThreadError);
    EXPECT_THROW(stream.resumeReading(), nio::WrongThreadError);
    EXPECT_THROW(stream.closeAfterFlush(), nio::WrongThreadError);
    EXPECT_THROW(stream.shutdownWrite(), nio::WrongThreadError);
    EXPECT_THROW(stream.abort(), nio::WrongThreadError);
    EXPECT_EQ(ending->closed, 0);
    EXPECT_FALSE(stream.isReadingPaused());

    stream.onBytes = [&](std::string_view bytes) { stream.send(nio::asBytes(bytes)); };
    link.peer.send("as before");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.flushed == 1; }));
    EXPECT_EQ(link.peer.receive(9), "as before");
}

TEST_F(StreamHandlerTest, ACallInTheTurnOfAnotherDispatcherIsRefused) {
    Stream& stream = add();
    TestDispatcher other("other");
    EXPECT_THROW(other.inTurn([&] { stream.abort(); }), nio::WrongThreadError);
    EXPECT_EQ(ending->closed, 0);
}

}  // namespace
