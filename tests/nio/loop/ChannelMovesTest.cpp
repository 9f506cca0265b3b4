#include <nio/loop/ChannelMoves.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "nio/loop/MovesTesting.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::MovingHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

using ChannelMovesTest = support::MovesTest;

INSTANTIATE_TEST_SUITE_P(Engines, ChannelMovesTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(ChannelMovesTest, HeldMemoryMigratesWithItsHandler) {
    MovingHandler& handler = add(a_);
    a_.inTurn([&] { a_->countBuffered(handler.channel(), 1000); });
    ASSERT_EQ(a_->metrics().bufferedBytes, 1000U);
    move(b_);
    EXPECT_EQ(a_->metrics().bufferedBytes, 0U);
    EXPECT_EQ(b_->metrics().bufferedBytes, 0U) << "it says it anew";
}

TEST_P(ChannelMovesTest, AHandlerGoesOnReadingAfterItsMigration) {
    MovingHandler& handler = add(a_);
    link_.peer.send("one ");
    a_.turn();
    handler.onLeaving = [&] { EXPECT_EQ(&handler.dispatcher(), &*a_); };
    handler.onArrived = [&] {
        EXPECT_EQ(&handler.dispatcher(), &*b_);
        EXPECT_TRUE(b_->isCurrent());
    };
    move(b_);
    link_.peer.send("two");
    settle();
    EXPECT_EQ(handler.kept, "one two");
    EXPECT_THAT(journal_, ElementsAre("c read", "c leaving", "c arrived", "c read"));
    EXPECT_THAT(errors_, IsEmpty());
    EXPECT_EQ(a_->connectionCount(), 0u);
    EXPECT_EQ(b_->connectionCount(), 1u);
}

TEST_P(ChannelMovesTest, NoCallbackComesBetweenLeavingAndArrived) {
    MovingHandler& handler = add(a_);
    // All that can call it: input, a flush and a revisit that it asked for, and a task by handle.
    handler.onLeaving = [&] {
        link_.peer.send("x");
        a_->flushLater(handler.channel());
        a_->revisitLater(handler.channel());
        post("task");
    };
    handler.onFlush = handler.onRevisit = [&] { EXPECT_EQ(&handler.dispatcher(), &*b_); };
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    a_.turns(5);
    EXPECT_THAT(journal_, ElementsAre("c leaving"));
    settle();
    ASSERT_GE(journal_.size(), 2u);
    EXPECT_EQ(journal_[1], "c arrived");
    EXPECT_THAT(journal_, testing::UnorderedElementsAre("c leaving", "c arrived", "c flush",
                                                        "c revisit", "c read", "task on b"));
}

TEST_P(ChannelMovesTest, ItKeepsTheInterestThatItHad) {
    MovingHandler& handler = add(a_, Interest::none);
    link_.peer.send("x");
    move(b_);
    EXPECT_EQ(handler.kept, "");
    ASSERT_TRUE(a_->addChannelInterestLater(handle_, Interest::read, errors()));
    settle();
    EXPECT_EQ(handler.kept, "x") << "by way of the old dispatcher";
    ASSERT_TRUE(a_->removeChannelInterestLater(handle_, Interest::read, errors()));
    settle();
    link_.peer.send("y");
    settle();
    EXPECT_EQ(handler.kept, "x");
    EXPECT_THAT(errors_, IsEmpty());
}

TEST_P(ChannelMovesTest, TheHandleStaysGoodForLifeAndFindsItWhereItIs) {
    MovingHandler& handler = add(a_);
    for (TestDispatcher* next : {&b_, &c_, &a_, &c_, &b_}) {
        move(*next);
        for (TestDispatcher* each : {&a_, &b_, &c_}) {
            EXPECT_EQ(isAt(*each), each == next) << (*next)->name() << (*each)->name();
        }
        next->inTurn([&] { EXPECT_EQ((*next)->handleOf(handler.channel()), handle_); });
    }
    b_.inTurn([&] { handler.channel().close(); });
    settle();
    for (TestDispatcher* each : {&a_, &b_, &c_}) EXPECT_FALSE(isAt(*each));
}

TEST_P(ChannelMovesTest, PostsByHandleArriveInOrderEachOnce) {
    add(a_);
    Journal expected;
    for (int round = 0; round < 30; ++round) {
        TestDispatcher& next = *std::array{&b_, &c_, &a_}[static_cast<std::size_t>(round % 3)];
        post("1");
        ASSERT_TRUE(a_->moves().moveLater(handle_, *next, errors()));
        post("2");
        // Not all of them get ahead at the same pace.
        if (round % 2 == 0) b_.turn();
        post("3");
        c_.turn();
        if (round % 5 == 0) a_.turn();
        post("4");
    }
    settle();
    for (int i = 0; i < 200; ++i) settle();
    std::string order;
    for (const std::string& entry : journal_) {
        if (entry.find(" on ") != std::string::npos) order += entry.substr(0, 1);
    }
    std::string all;
    for (int round = 0; round < 30; ++round) all += "1234";
    EXPECT_EQ(order, all);
    EXPECT_THAT(errors_, IsEmpty());
    for (TestDispatcher* each : {&a_, &b_, &c_}) EXPECT_EQ((*each)->moves().droppedTasks(), 0u);
}

TEST_P(ChannelMovesTest, APostToWhicheverDispatcherGoesByWayOfTheHandles) {
    add(a_);
    move(b_);
    journal_.clear();
    ASSERT_TRUE(b_->invokeLater(handle_, [&](SelectorHandler&) { journal_.push_back("1"); }));
    ASSERT_TRUE(c_->invokeLater(handle_, [&](SelectorHandler&) { journal_.push_back("2"); }));
    settle();
    EXPECT_THAT(journal_, ElementsAre("1", "2"));
}

TEST_P(ChannelMovesTest, ClosingAMigratedChannelFreesItsSlotAtHome) {
    MovingHandler& handler = add(a_);
    move(b_);
    move(c_);
    c_.inTurn([&] { handler.channel().close(); });
    post("too late");
    settle();
    EXPECT_EQ(a_->moves().droppedTasks() + b_->moves().droppedTasks() + c_->moves().droppedTasks(),
              1u);
    Link other = makeLink();
    const std::uint32_t slot = handle_.slot();
    add(a_, other, Interest::read);
    EXPECT_EQ(handle_.slot(), slot) << "used again";
    EXPECT_EQ(journal_.back(), "c destroyed");
}

TEST_P(ChannelMovesTest, WhatCannotMoveIsRefusedAndStays) {
    Link other = makeLink();
    RecordingHandler& fixed = a_.add(other, "fixed", journal_);
    MovingHandler& handler = add(a_);
    handler.movable = false;
    move(b_);
    EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
    a_.inTurn([&] {
        EXPECT_TRUE(a_->moves().moveNow(handler.channel(), *b_).error().is(Errc::notMovable));
        EXPECT_TRUE(a_->moves().moveNow(fixed.channel(), *b_).error().is(Errc::notMovable));
    });
    EXPECT_TRUE(isAt(a_));
    EXPECT_THAT(journal_, IsEmpty());
}

TEST_P(ChannelMovesTest, AMoveToWhereItIsIsNone) {
    add(a_);
    move(a_);
    EXPECT_THAT(journal_, IsEmpty());
    move(b_);
    move(b_, b_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived"));
    EXPECT_THAT(errors_, IsEmpty());
}

TEST_P(ChannelMovesTest, ItMovesOnceNoCallbackOfItRuns) {
    MovingHandler& handler = add(a_);
    handler.onRead = [&] {
        handler.channel().receive();
        EXPECT_TRUE(a_->moves().moveNow(handler.channel(), *b_, errors()).ok());
        EXPECT_EQ(journal_.back(), "c read");
        a_->addChannelInterestNow(handler.channel(), Interest::read);
        journal_.push_back("c returns");
    };
    link_.peer.send("x");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c read", "c returns", "c leaving", "c arrived"));
    EXPECT_TRUE(isAt(b_));
}

TEST_P(ChannelMovesTest, OfTwoRequestsTheSecondFollowsTheFirst) {
    add(a_);
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    ASSERT_TRUE(a_->moves().moveLater(handle_, *c_, errors()));
    ASSERT_TRUE(a_->moves().moveLater(handle_, *c_, errors()));
    settle();
    EXPECT_TRUE(isAt(c_));
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "c leaving", "c arrived"));
    EXPECT_THAT(errors_, IsEmpty());
}

TEST_P(ChannelMovesTest, AnArrivalMayAskToMoveOn) {
    MovingHandler& handler = add(a_);
    handler.onArrived = [&] {
        handler.onArrived = nullptr;
        EXPECT_TRUE(b_->moves().moveNow(handler.channel(), *c_, errors()).ok());
    };
    move(b_);
    EXPECT_TRUE(isAt(c_));
}

}  // namespace
}  // namespace nio
