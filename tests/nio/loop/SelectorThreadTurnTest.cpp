// What one turn does, in which order, and how much of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

class SelectorThreadTurnTest : public testing::Test {
  protected:
    Journal journal_;
    TestDispatcher dispatcher_;
};

TEST_F(SelectorThreadTurnTest, IsTasksThenDispatchThenFlushThenBury) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_);
    handler.onRead = [&] {
        dispatcher_->flushLater(handler.channel());
        ASSERT_TRUE(dispatcher_->invokeLater([&] { journal_.push_back("task of the next turn"); }));
    };
    handler.onFlush = [&] { handler.channel().close(); };
    link.peer.send("x");
    ASSERT_TRUE(dispatcher_->invokeLater([&] { journal_.push_back("task"); }));
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("task", "a read", "a flush", "a destroyed"));
    dispatcher_.turn();
    EXPECT_EQ(journal_.back(), "task of the next turn");
}

TEST_F(SelectorThreadTurnTest, RevisitsInTheNextTurnWithoutAnyReadiness) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_);
    handler.onRead = [&] { dispatcher_->revisitLater(handler.channel()); };
    link.peer.send("x");
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("a read"));
    dispatcher_->turn(std::nullopt);  // would never end otherwise: nothing is ready
    EXPECT_THAT(journal_, ElementsAre("a read", "a revisit"));
}

TEST_F(SelectorThreadTurnTest, FlushesAndRevisitsOnceHoweverOftenItWasAsked) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_);
    dispatcher_.inTurn([&] {
        for (int i = 0; i < 3; ++i) dispatcher_->flushLater(handler.channel());
        for (int i = 0; i < 3; ++i) dispatcher_->revisitLater(handler.channel());
    });
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, ElementsAre("a revisit", "a flush"));
}

TEST_F(SelectorThreadTurnTest, LeavesAFlushAskedForInAFlushToTheNextTurn) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_);
    handler.onFlush = [&] {
        if (journal_.size() < 3) dispatcher_->flushLater(handler.channel());
    };
    dispatcher_.inTurn([&] { dispatcher_->flushLater(handler.channel()); });
    EXPECT_THAT(journal_, ElementsAre("a flush"));
    dispatcher_->turn(std::nullopt);
    EXPECT_THAT(journal_, ElementsAre("a flush", "a flush"));
}

TEST_F(SelectorThreadTurnTest, RunsAtMostSoManyTasksAndStillServesChannels) {
    SelectorThreadOptions options;
    options.maxTasksPerTurn = 2;
    TestDispatcher small("small", options);
    Link link = makeLink();
    small.add(link, "a", journal_);
    link.peer.send("x");
    for (int i = 1; i <= 5; ++i) {
        ASSERT_TRUE(small->invokeLater([this, i] { journal_.push_back(std::to_string(i)); }));
    }
    small->turn(std::nullopt);
    EXPECT_THAT(journal_, ElementsAre("1", "2", "a read"));
    small->turn(std::nullopt);
    small.turn();
    EXPECT_THAT(journal_, ElementsAre("1", "2", "a read", "3", "4", "5"));
}

TEST_F(SelectorThreadTurnTest, DoesNotSleepWhileTasksWait) {
    bool ran = false;
    ASSERT_TRUE(dispatcher_->invokeLater(
        [&] { ASSERT_TRUE(dispatcher_->invokeLater([&] { ran = true; })); }));
    dispatcher_->turn(std::nullopt);  // would never end otherwise
    EXPECT_FALSE(ran);
    dispatcher_.turn();
    EXPECT_TRUE(ran);
}

TEST_F(SelectorThreadTurnTest, EndsItsWaitWhenATaskIsPosted) {
    std::atomic<bool> ended{false};
    // Again and again: the first may be there before the wait begins.
    std::thread other([&] {
        while (!ended) {
            EXPECT_TRUE(dispatcher_->invokeLater([] {}));
            std::this_thread::yield();
        }
    });
    dispatcher_->turn(std::nullopt);
    ended = true;
    other.join();
}

TEST_F(SelectorThreadTurnTest, RefusesATurnInsideItsOwn) {
    dispatcher_.inTurn([&] { EXPECT_THROW(dispatcher_.turn(), std::logic_error); });
    EXPECT_TRUE(dispatcher_.turn()) << "and goes on";
}

TEST_F(SelectorThreadTurnTest, RefusesATurnWhileAnotherThreadMakesOne) {
    dispatcher_.inTurn(
        [&] { std::thread([&] { EXPECT_THROW(dispatcher_.turn(), std::logic_error); }).join(); });
}

TEST_F(SelectorThreadTurnTest, MayBeMadeInsideATurnOfAnother) {
    TestDispatcher inner("inner");
    bool ran = false;
    dispatcher_.inTurn([&] {
        inner.inTurn([&] {
            ran = true;
            EXPECT_TRUE(inner->isCurrent());
            EXPECT_FALSE(dispatcher_->isCurrent());
        });
        EXPECT_TRUE(dispatcher_->isCurrent()) << "the outer turn is the current one again";
    });
    EXPECT_TRUE(ran);
}

TEST_F(SelectorThreadTurnTest, TakesTheReadyOperationOutOfTheInterest) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_);
    handler.onRead = [] {};
    link.peer.send("x");
    dispatcher_.turns(5);
    EXPECT_THAT(journal_, ElementsAre("a read")) << "not again until it asks again";
    dispatcher_.inTurn([&] { handler.readOn(); });
    EXPECT_THAT(journal_, ElementsAre("a read", "a read"));
}

TEST_F(SelectorThreadTurnTest, CallsReadBeforeWrite) {
    Link link = makeLink();
    dispatcher_.add(link, "a", journal_, Interest::none);
    Link both = makeLink();
    both.peer.send("x");
    dispatcher_.add(both, "b", journal_, Interest::read | Interest::write);
    EXPECT_THAT(journal_, ElementsAre("b read", "b write"));
}

TEST_F(SelectorThreadTurnTest, CallsExceptionalBetweenReadAndWrite) {
    const Interest all = Interest::read | Interest::exceptional | Interest::write;
    Link link = makeLink(nio::SocketAddress::Family::ipv4);
    link.peer.send("x");
    ASSERT_EQ(::send(link.peer.fd(), "!", 1, MSG_OOB), 1);
    dispatcher_.add(link, "a", journal_, all);
    EXPECT_THAT(journal_, ElementsAre("a read", "a exceptional", "a write"));
}

TEST_F(SelectorThreadTurnTest, AnInterestRemovedInTheSameBatchIsNotCalled) {
    Link one = makeLink(), two = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    a.onRead = [&] { dispatcher_->removeChannelInterestNow(b.channel(), Interest::read); };
    b.onRead = [&] { dispatcher_->removeChannelInterestNow(a.channel(), Interest::read); };
    one.peer.send("x");
    two.peer.send("x");
    dispatcher_.turns(3);
    EXPECT_EQ(journal_.size(), 1u);
}

TEST_F(SelectorThreadTurnTest, WritesDownNothingWithoutACause) {
    Link link = makeLink();
    dispatcher_.add(link, "a", journal_);
    dispatcher_.turns(3);
    EXPECT_THAT(journal_, IsEmpty());
}

}  // namespace
}  // namespace nio
