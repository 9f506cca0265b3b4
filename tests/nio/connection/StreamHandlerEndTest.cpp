// How a connection ends, and who hears of it.
#include <sys/socket.h>

#include "nio/connection/StreamCase.h"

namespace {

using streams::Stream;
using support::Link;
using support::makeLink;

using StreamHandlerEnd = streams::StreamCase;

TEST_F(StreamHandlerEnd, IsKnownByItsHandleAlsoWhileAnotherIsClosedThere) {
    Stream& stream = add();
    Link other = makeLink(nio::SocketAddress::Family::ipv4);
    Stream& second =
        dispatcher.add(std::make_unique<Stream>(std::move(other.channel), nio::StreamOptions()),
                       nio::Interest::read);
    nio::ChannelHandle ofFirst, last;
    second.onClosed = [&] { last = stream.handle(); };
    stream.onClosed = [&] { second.channel().close(); };
    dispatcher.inTurn([&] {
        ofFirst = stream.handle();
        stream.channel().close();
    });
    EXPECT_EQ(last, ofFirst);
}

TEST_F(StreamHandlerEnd, ItsHandleIsValidInTheLastCallback) {
    Stream& stream = add();
    nio::ChannelHandle last;
    stream.onClosed = [&] { last = stream.handle(); };
    dispatcher.inTurn([&] {
        const nio::ChannelHandle handle = stream.handle();
        stream.channel().close();
        EXPECT_EQ(last, handle);
        EXPECT_EQ(dispatcher->findNow(handle), nullptr);
        EXPECT_EQ(stream.handle(), nio::ChannelHandle()) << "after that it is nobody's";
    });
}

TEST_F(StreamHandlerEnd, AbortedBeforeItIsRegisteredItTellsNobody) {
    Stream stream(std::move(link.channel), {});
    stream.abort();
    EXPECT_FALSE(stream.channel().isOpen());
    EXPECT_EQ(stream.ending->closed, 0);
}

TEST_F(StreamHandlerEnd, FailedBeforeItIsRegisteredItEndsWithTheReason) {
    Stream& stream = add(
        [](Stream& fresh) { fresh.failAfterFlush(nio::Error(nio::Errc::cancelled, "not you")); });
    EXPECT_EQ(stream.opened, 1);
    EXPECT_EQ(link.peer.receiveAll(), "");
    link.peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    ASSERT_TRUE(ending->reason.has_value());
    EXPECT_EQ(ending->reason->context(), "not you");
}

TEST_F(StreamHandlerEnd, AnEndWithoutAResetGivesTheKernelWhatWasSentBefore) {
    Stream& stream = add();
    dispatcher.inTurn([&] {
        stream.send(nio::asBytes("last words"));
        stream.end(nio::Error(nio::Errc::malformedPacket), false);
    });
    EXPECT_EQ(link.peer.receiveAll(), "last words");
    EXPECT_EQ(link.peer.last().status, nio::IoStatus::closed);
    EXPECT_EQ(ending->closed, 1);
    EXPECT_TRUE(ending->reason->is(nio::Errc::malformedPacket));
}

TEST_F(StreamHandlerEnd, EndingTwiceTellsOnce) {
    Stream& stream = add();
    stream.onClosed = [&] { stream.abort(); };
    dispatcher.inTurn([&] {
        stream.end(std::nullopt, false);
        stream.abort();
        stream.closeAfterFlush();
        stream.send(nio::asBytes("nobody hears"));
        stream.resumeReading();
    });
    dispatcher.turns(2);
    EXPECT_EQ(ending->closed, 1);
    EXPECT_FALSE(ending->reason.has_value());
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{});
}

TEST_F(StreamHandlerEnd, ClosingAfterTheFlushThrowsAwayWhatStillComes) {
    Stream& stream = add();
    dispatcher.inTurn([&] { stream.closeAfterFlush(); });
    EXPECT_EQ(link.peer.receiveAll(), "");
    link.peer.send("too late");
    dispatcher.turns(3);
    EXPECT_EQ(stream.arrived, "");
    EXPECT_EQ(stream.remains().unreadBytes, 8U);
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_FALSE(ending->reason.has_value());
}

TEST_F(StreamHandlerEnd, ReadsNoMoreAfterShutdownReadAndSends) {
    Stream& stream = add();
    link.peer.send("first");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return stream.arrived == "first"; }));
    dispatcher.inTurn([&] {
        stream.shutdownRead();
        stream.pauseReading();
    });
    link.peer.send("discarded");
    link.peer.finish();
    dispatcher.turns(5);
    EXPECT_EQ(stream.arrived, "first");
    EXPECT_EQ(stream.finished, 0) << "the end of stream, too";
    EXPECT_EQ(stream.remains().unreadBytes, 0U);
    dispatcher.inTurn([&] { stream.send(nio::asBytes("answer")); });
    EXPECT_EQ(link.peer.receive(6), "answer");
    EXPECT_EQ(ending->closed, 0);
    dispatcher.inTurn([&] { stream.shutdownWrite(); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_FALSE(ending->reason.has_value());
    EXPECT_EQ(link.peer.receiveAll(), "");
    EXPECT_FALSE(link.peer.last().isFailed()) << "no reset";
}

TEST_F(StreamHandlerEnd, TellsOfAResetAfterShutdownRead) {
    add([](Stream& stream) {
        stream.onOpened = [&] {
            nio::onDispatcher.assertCurrent();
            stream.shutdownRead();
        };
    });
    dispatcher.turn();
    const linger none{1, 0};
    ASSERT_EQ(::setsockopt(link.peer.fd(), SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    link.peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_TRUE(ending->reason->is(std::errc::connection_reset));
}

TEST_F(StreamHandlerEnd, AnExceptionResetsAndGivesItsWords) {
    Stream& stream = add();
    stream.onBytes = [](std::string_view) { throw std::runtime_error("these words"); };
    link.peer.send("x");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_TRUE(ending->reason->is(nio::Errc::handlerFailed));
    EXPECT_EQ(ending->reason->context(), "these words");
    (void)link.peer.receiveAll();
    EXPECT_TRUE(link.peer.last().isFailed()) << "a reset";
}

TEST_F(StreamHandlerEnd, AnEndInsideOutputFlushedIsTheEndOfTheCallback) {
    Stream& stream = add();
    stream.onFlushed = [&] { stream.end(std::nullopt, false); };
    dispatcher.inTurn([&] { stream.send(nio::asBytes("last")); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_FALSE(ending->reason);
    EXPECT_EQ(link.peer.receiveAll(), "last");
}

TEST_F(StreamHandlerEnd, NothingIsSentBehindTheEndAnyMore) {
    Stream& stream = add();
    dispatcher.inTurn([&] {
        stream.send(nio::asBytes("last"));
        stream.closeAfterFlush();
        stream.sendThrough(nio::asBytes(" lost"));
        stream.send(nio::asBytes(" lost"));
        stream.failAfterFlush(nio::Error(nio::Errc::cancelled));
    });
    EXPECT_EQ(link.peer.receiveAll(), "last");
    link.peer.close();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_FALSE(ending->reason) << "the first word counts";
}

TEST_F(StreamHandlerEnd, OnAChannelThatWasClosedByHandNothingHappens) {
    Stream& stream = add();
    dispatcher.inTurn([&] {
        stream.channel().close();
        stream.send(nio::asBytes("lost"));
        stream.sendThrough(nio::asBytes("lost"));
        stream.failAfterFlush(nio::Error(nio::Errc::cancelled));
        EXPECT_EQ(stream.pendingBytes(), 0U);
    });
    EXPECT_EQ(link.peer.receiveAll(), "");
    EXPECT_TRUE(dispatcher.failures.empty());
}

TEST_F(StreamHandlerEnd, ARevisitThatIsDueIsWaitedForBeforeTheEnd) {
    Stream& stream = add();
    int before = 0;
    stream.onFinished = [&] {
        stream.revisitInput();
        stream.shutdownWrite();
    };
    stream.onClosed = [&] { before = stream.revisited; };
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_EQ(before, 1);
    EXPECT_FALSE(ending->reason);
}

TEST_F(StreamHandlerEnd, WhoIsBusyIsNotQuietInADrain) {
    Stream& busy = add();
    Link other = makeLink(nio::SocketAddress::Family::ipv4);
    Stream& quiet = dispatcher.add(
        std::make_unique<Stream>(std::move(other.channel), nio::StreamOptions{.lingerTimeout = {}}),
        nio::Interest::read);
    const auto quietEnd = quiet.ending;
    busy.onBytes = [&](std::string_view) {
        if (busy.arrived.size() < 20) return;
        busy.send(nio::asBytes("passed on"));
        busy.setBusy(false);
    };
    dispatcher.inTurn([&] { busy.setBusy(true); });
    dispatcher->requestClose({.deadline = std::chrono::seconds(20),
                              .quietPeriod = std::chrono::milliseconds(1),
                              .readBudgetBytes = 5});
    ASSERT_TRUE(dispatcher.turnUntil([&] { return quietEnd->closed == 1; }));
    EXPECT_EQ(ending->closed, 0);
    link.peer.send("the answer");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return busy.arrived == "the answer"; }));
    dispatcher.turns(3);
    link.peer.send(" is longer");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return busy.arrived.size() == 20; }));
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return ending->closed == 1; }));
    EXPECT_EQ(link.peer.receive(9), "passed on");
}

}  // namespace
