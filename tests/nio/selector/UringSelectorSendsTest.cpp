// What is sent on io_uring straight from the buffer that it was received into: in order, complete,
// and before the FIN.
#include <nio/selector/uring/UringSelector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;

class UringSelectorSendsTest : public testing::Test {
  protected:
    void SetUp() override {
        SelectorThreadOptions options;
        options.selector.kind = SelectorKind::uring;
        const auto selector = Selector::open(options.selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        dispatcher_.emplace("test", options);
        handler_ = &dispatcher_->add(link_, "h", journal_);
    }
    SocketChannel& channel() { return handler_->channel(); }
    // Runs it with what has just been received.
    template <class F>
    void whenReceived(const std::string& text, F&& f) {
        bool done = false;
        handler_->onRead = [&] {
            const Received got = channel().receive();
            ASSERT_EQ(asText(got.bytes), text);
            f(got.bytes);
            done = true;
            handler_->readOn();
        };
        link_.peer.send(text);
        ASSERT_TRUE(dispatcher_->turnUntil([&] { return done; }));
        handler_->onRead = nullptr;
    }
    std::string receiveAll() {
        std::string got;
        EXPECT_TRUE(dispatcher_->turnUntil([&] {
            got += link_.peer.receiveWhatIsThere();
            return link_.peer.last().status == IoStatus::closed;
        }));
        return got;
    }

    Journal journal_;
    Link link_ = makeLink();
    std::optional<TestDispatcher> dispatcher_;
    RecordingHandler* handler_ = nullptr;
};

TEST_F(UringSelectorSendsTest, PiecesOfOneReadKeepTheirOrderAcrossGaps) {
    whenReceived("abcdefgh", [&](ByteView bytes) {
        EXPECT_TRUE(channel().write(bytes.subspan(0, 2)).isDone());
        EXPECT_TRUE(channel().write(bytes.subspan(2, 1)).isDone());
        EXPECT_TRUE(channel().write(bytes.subspan(5, 2)).isDone());
        EXPECT_TRUE(channel().write(bytes.subspan(1, 2)).isDone());
    });
    dispatcher_->turns(2);
    EXPECT_EQ(link_.peer.receive(7), "abcfgbc");
}

TEST_F(UringSelectorSendsTest, WhatIsReceivedCanBeSentToSeveral) {
    Link another = makeLink();
    RecordingHandler& other = dispatcher_->add(another, "other", journal_);
    whenReceived("news", [&](ByteView bytes) {
        for (SocketChannel* each : {&channel(), &other.channel()}) {
            EXPECT_TRUE(each->write(bytes.first(2)).isDone());
            EXPECT_TRUE(each->write(bytes.subspan(2)).isDone());
        }
    });
    dispatcher_->turns(2);
    EXPECT_EQ(link_.peer.receive(4), "news");
    EXPECT_EQ(another.peer.receive(4), "news");
}

TEST_F(UringSelectorSendsTest, NothingSentIsNothingReceived) {
    whenReceived("x", [&](ByteView bytes) {
        EXPECT_TRUE(channel().write(bytes.first(0)).isDone());
        EXPECT_TRUE(channel().write(bytes).isDone());
        EXPECT_TRUE(channel().write(bytes.first(0)).isDone());
    });
    dispatcher_->turns(2);
    EXPECT_EQ(link_.peer.receive(1), "x");
    EXPECT_EQ(channel().pendingBytes(), 0U);
}

TEST_F(UringSelectorSendsTest, AFinComesBehindWhatIsSentFromItsPlace) {
    whenReceived("last words", [&](ByteView bytes) {
        EXPECT_TRUE(channel().write(bytes).isDone());
        EXPECT_TRUE(channel().shutdownWrite().ok());
    });
    EXPECT_EQ(receiveAll(), "last words");
}

TEST_F(UringSelectorSendsTest, AFinBehindNothingLeavesAtOnce) {
    dispatcher_->inTurn([&] {
        EXPECT_TRUE(channel().shutdownWrite().ok());
        EXPECT_EQ(link_.peer.receiveWhatIsThere(), "");
        EXPECT_EQ(link_.peer.last().status, IoStatus::closed);
    });
}

TEST_F(UringSelectorSendsTest, AFinComesBehindWhatTheSocketDidNotTake) {
    const std::string much(4 * 1024 * 1024, 'm');
    handler_->onWrite = [&] {
        EXPECT_FALSE(channel().flush().isFailed());
        if (channel().pendingBytes() == 0) return;
        (*dispatcher_)->addChannelInterestNow(channel(), Interest::write);
    };
    dispatcher_->inTurn([&] { EXPECT_FALSE(channel().write(asBytes(much)).isFailed()); });
    ASSERT_TRUE(dispatcher_->turnUntil([&] { return channel().pendingBytes() > 0; }));
    dispatcher_->inTurn([&] {
        EXPECT_FALSE(channel().flush().isFailed());
        EXPECT_TRUE(channel().shutdownWrite().ok());
        (*dispatcher_)->addChannelInterestNow(channel(), Interest::write);
    });
    EXPECT_EQ(receiveAll().size(), much.size());
}

TEST_F(UringSelectorSendsTest, AFinComesBehindOutputThatIsNotHandedOverYet) {
    const std::string much(4 * 1024 * 1024, 'm');
    handler_->onWrite = [&] {
        if (!channel().output().empty() && channel().finDeferred()) {
            EXPECT_FALSE(channel().flush().isFailed());
            (*dispatcher_)->addChannelInterestNow(channel(), Interest::write);
        }
    };
    dispatcher_->inTurn([&] { EXPECT_FALSE(channel().write(asBytes(much)).isFailed()); });
    ASSERT_TRUE(dispatcher_->turnUntil([&] { return channel().handedOverBytes() == 0; }));
    ASSERT_GT(channel().pendingBytes(), 0U);
    dispatcher_->inTurn([&] {
        EXPECT_TRUE(channel().shutdownWrite().ok());
        (*dispatcher_)->addChannelInterestNow(channel(), Interest::write);
    });
    EXPECT_EQ(receiveAll().size(), much.size());
}

TEST_F(UringSelectorSendsTest, AShortSendIsReportedDuringAnInterestChange) {
    Link other = makeLink();
    RecordingHandler& paused = dispatcher_->add(other, "paused", journal_);
    dispatcher_->turns(2);
    bool told = false;
    handler_->onWrite = [&] { told = true; };
    ASSERT_TRUE((*dispatcher_)->invokeLater([&] {
        while (kernel::send(channel().fd(), asBytes("full")).isDone()) {
        }
        EXPECT_FALSE(channel().write(asBytes("x")).isFailed());
        (*dispatcher_)->setChannelInterestNow(paused.channel(), Interest::none);
    }));
    while (!told) (*dispatcher_)->turn(std::nullopt);  // would never end otherwise
    EXPECT_EQ(channel().pendingBytes(), 1U);
}

// To close others calls the kernel: what was sent from the buffer has left by then.
TEST_F(UringSelectorSendsTest, ShownBytesStayUntilTheirCallbackReturns) {
    SelectorThreadOptions options;
    options.selector.kind = SelectorKind::uring;
    options.selector.maxReceiveBuffers = 1;
    TestDispatcher few("few", options);
    Link asking = makeLink();
    Link filling = makeLink();
    Link first = makeLink();
    Link second = makeLink();
    RecordingHandler& handler = few.add(asking, "asking", journal_);
    few.add(filling, "filling", journal_);
    SocketChannel& one = few.add(first, "1", journal_).channel();
    SocketChannel& other = few.add(second, "2", journal_).channel();
    few.turns(2);
    std::string shown;
    handler.onRead = [&] {
        const Received got = handler.channel().receive();
        EXPECT_TRUE(handler.channel().write(got.bytes.first(2)).isDone());
        one.close();
        filling.peer.send("otherwise");
        other.close();
        shown = asText(got.bytes);
    };
    asking.peer.send("abcdefgh");
    ASSERT_TRUE(few.turnUntil([&] { return !shown.empty(); }));
    EXPECT_EQ(shown, "abcdefgh");
    EXPECT_EQ(asking.peer.receive(2), "ab");
}

TEST_F(UringSelectorSendsTest, ToReceiveUnaskedFindsNothingWhileTheKernelReceives) {
    dispatcher_->turns(2);
    dispatcher_->inTurn([&] { EXPECT_EQ(channel().receive().status, IoStatus::wouldBlock); });
    link_.peer.send("later");
    ASSERT_TRUE(dispatcher_->turnUntil([&] { return handler_->kept == "later"; }));
}

TEST_F(UringSelectorSendsTest, AFailedSendIsToldToWhoReceives) {
    handler_->onWrite = [] {};
    dispatcher_->inTurn([&] {
        kernel::shutdownWrite(channel().fd()).orThrow();
        EXPECT_FALSE(channel().write(asBytes("x")).isFailed()) << "it is sent later";
    });
    Received got{};
    handler_->onRead = [&] { got = channel().receive(); };
    ASSERT_TRUE(dispatcher_->turnUntil([&] { return got.status == IoStatus::failed; }));
    EXPECT_EQ(got.code, std::errc::broken_pipe);
}

}  // namespace
}  // namespace nio
