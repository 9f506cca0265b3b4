// Moves on which something ends: the channel, its handler's patience, a dispatcher.
#include <nio/loop/ChannelMoves.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "nio/loop/MovesTesting.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::MovingHandler;
using support::TestDispatcher;
using support::with;
using testing::ElementsAre;
using testing::IsEmpty;

using ChannelMovesEndTest = support::MovesTest;

INSTANTIATE_TEST_SUITE_P(Engines, ChannelMovesEndTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(ChannelMovesEndTest, AChannelThatIsGoneIsReported) {
    MovingHandler& handler = add(a_);
    a_.inTurn([&] { handler.channel().close(); });
    move(b_);
    EXPECT_THAT(errors_, ElementsAre("the channel is not registered"));
}

TEST_P(ChannelMovesEndTest, AHandlerThatClosesWhileLeavingIsNotMoved) {
    MovingHandler& handler = add(a_);
    handler.onLeaving = [&] { handler.channel().close(); };
    move(b_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c closed", "c destroyed"));
    EXPECT_THAT(errors_, ElementsAre("the channel is not registered"));
}

TEST_P(ChannelMovesEndTest, AHandlerThatClosesOnArrivalIsBuriedThere) {
    MovingHandler& handler = add(a_);
    handler.onArrived = [&] { handler.channel().close(); };
    post("before");
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    post("after");
    settle();
    EXPECT_THAT(journal_,
                ElementsAre("before on a", "c leaving", "c arrived", "c closed", "c destroyed"));
    EXPECT_EQ(a_->moves().droppedTasks() + b_->moves().droppedTasks(), 1u);
    EXPECT_EQ(b_->connectionCount(), 0u);
}

TEST_P(ChannelMovesEndTest, AnExceptionFromLeavingEndsItWhereItWas) {
    MovingHandler& handler = add(a_);
    handler.onLeaving = [] { throw std::runtime_error("no"); };
    move(b_);
    EXPECT_THAT(a_.failures, ElementsAre("c::leaving: no"));
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c failure", "c closed", "c destroyed"));
    EXPECT_THAT(errors_, ElementsAre("a callback threw an exception"));
}

TEST_P(ChannelMovesEndTest, WhoSurvivesAnExceptionFromLeavingStays) {
    MovingHandler& handler = add(a_);
    move(b_);
    handler.onLeaving = [] { throw std::runtime_error("no"); };
    handler.onFailure = [] {};
    move(c_);
    EXPECT_TRUE(isAt(b_));
    EXPECT_THAT(errors_, ElementsAre("a callback threw an exception"));
    journal_.clear();
    post("still heard");
    link_.peer.send("x");
    settle();
    EXPECT_THAT(journal_, testing::UnorderedElementsAre("still heard on b", "c read"));
}

TEST_P(ChannelMovesEndTest, AnExceptionFromArrivedEndsItWhereItIs) {
    MovingHandler& handler = add(a_);
    handler.onArrived = [] { throw std::runtime_error("no"); };
    move(b_);
    EXPECT_THAT(b_.failures, ElementsAre("c::arrived: no"));
    EXPECT_THAT(journal_,
                ElementsAre("c leaving", "c arrived", "c failure", "c closed", "c destroyed"));
    EXPECT_THAT(errors_, ElementsAre("a callback threw an exception"));
}

TEST_P(ChannelMovesEndTest, TheHandleOfNobodyMovesNobody) {
    add(a_);
    handle_ = {};
    move(b_);
    EXPECT_THAT(errors_, ElementsAre("the channel is not registered"));
    EXPECT_THAT(journal_, IsEmpty());
}

TEST_P(ChannelMovesEndTest, AnErrorHandlerThatThrowsHoldsNothingUp) {
    MovingHandler& handler = add(a_);
    move(b_);
    handler.movable = false;
    ASSERT_TRUE(
        a_->moves().moveLater(handle_, *c_, [](const Error&) { throw std::runtime_error("oh"); }));
    post("still heard");
    settle();
    EXPECT_EQ(journal_.back(), "still heard on b");
    EXPECT_THAT(b_.failures, ElementsAre("task::onError: oh"));
}

TEST_P(ChannelMovesEndTest, ATargetThatHasStoppedRefusesAndTheChannelStays) {
    MovingHandler& handler = add(a_);
    b_->requestClose({.deadline = 0ms});
    while (b_.turn()) {
    }
    a_.inTurn([&] {
        EXPECT_TRUE(a_->moves().moveNow(handler.channel(), *b_).error().is(Errc::stopped));
    });
    EXPECT_THAT(journal_, IsEmpty());
    post("1");
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    post("2");
    settle();
    EXPECT_THAT(errors_, ElementsAre("the dispatcher has stopped"));
    link_.peer.send("x");
    settle();
    EXPECT_THAT(journal_, ElementsAre("1 on a", "2 on a", "c read"));
}

TEST_P(ChannelMovesEndTest, AChannelReturnsIfItsTargetStops) {
    MovingHandler& handler = add(a_);
    handler.onLeaving = [&] {
        b_->requestClose({.deadline = 0ms});
        while (b_.turn()) {
        }
    };
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    post("still heard");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "still heard on a"));
    EXPECT_THAT(errors_, ElementsAre("the dispatcher has stopped"));
    EXPECT_TRUE(isAt(a_));
}

TEST_P(ChannelMovesEndTest, ATargetThatDrainsRefusesALiveChannel) {
    MovingHandler& handler = add(a_);
    Link other = makeLink();
    b_.add(std::make_unique<MovingHandler>(std::move(other.channel), "o", journal_),
           Interest::read);
    EXPECT_TRUE(b_->queue()->takesConnections());
    b_->requestClose();
    b_.turn();
    EXPECT_FALSE(b_->queue()->takesConnections());
    journal_.clear();
    a_.inTurn([&] {
        EXPECT_TRUE(a_->moves().moveNow(handler.channel(), *b_).error().is(Errc::stopped));
    });
    move(b_);
    EXPECT_THAT(errors_, ElementsAre("the dispatcher has stopped"));
    EXPECT_THAT(journal_, IsEmpty());
    EXPECT_TRUE(isAt(a_));
}

TEST_P(ChannelMovesEndTest, AHandlerThatIsNotMovableAfterLeavingStays) {
    MovingHandler& handler = add(a_);
    for (TestDispatcher* place : {&a_, &b_}) {
        handler.movable = true;
        handler.onLeaving = nullptr;
        if (place == &b_) move(b_);
        errors_.clear();
        journal_.clear();
        handler.onLeaving = [&] { handler.movable = false; };
        move(c_);
        EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived"));
        EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
        EXPECT_TRUE(isAt(*place));
        post("still heard");
        settle();
        EXPECT_EQ(journal_.back(), "still heard on " + (*place)->name());
    }
}

TEST_P(ChannelMovesEndTest, AnExceptionFromComingBackEndsItWhereItIs) {
    MovingHandler& handler = add(a_);
    handler.onLeaving = [&] { handler.movable = false; };
    handler.onArrived = [] { throw std::runtime_error("no"); };
    move(b_);
    EXPECT_THAT(a_.failures, ElementsAre("c::arrived: no"));
    EXPECT_EQ(journal_.back(), "c destroyed");
    EXPECT_THAT(errors_, ElementsAre("a callback threw an exception"));
}

// What is passed on and what is held back counts where it was accepted, until it runs.
TEST(ChannelMovesLimit, HoldsForAChannelThatIsAway) {
    Journal journal;
    Link link = makeLink();
    SelectorThreadOptions few;
    few.maxQueuedTasks = 10;
    TestDispatcher a{"a", few}, b{"b"};
    MovingHandler& handler = a.add(
        std::make_unique<MovingHandler>(std::move(link.channel), "c", journal), Interest::read);
    ChannelHandle handle;
    a.inTurn([&] { handle = a->handleOf(handler.channel()); });
    ASSERT_TRUE(a->moves().moveLater(handle, *b));
    int ran = 0;
    const auto accepted = [&] {
        int count = 0;
        for (int i = 0; i < 30; ++i) {
            count += a->invokeLater(handle, [&](SelectorHandler&) { ++ran; }) ? 1 : 0;
            a.turn();
        }
        return count;
    };
    a.turn();
    EXPECT_EQ(accepted(), 10) << "held back";
    for (int i = 0; i < 3; ++i) b.turn(), a.turn();
    b.turn();
    EXPECT_EQ(ran, 10);
    EXPECT_EQ(accepted(), 10) << "passed on";
    b.turn();
    EXPECT_EQ(ran, 20);
    EXPECT_EQ(accepted(), 10);
    b->requestClose({.deadline = 0ms});
    while (b.turn()) {
    }
    EXPECT_EQ(ran, 20 + static_cast<int>(10 - b->moves().droppedTasks()));
    EXPECT_EQ(accepted(), 30) << "nobody is there to wait for";
}

TEST_P(ChannelMovesEndTest, ATargetThatStopsMeanwhileEndsItAsAllItsOthers) {
    MovingHandler& handler = add(a_);
    handler.onLeaving = [&] { b_->requestClose({.deadline = 0ms}); };
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    a_.turn();
    while (b_.turn()) {
    }
    EXPECT_THAT(journal_,
                ElementsAre("c leaving", "c arrived", "c drain", "c closed", "c destroyed"));
    EXPECT_EQ(b_->draining().report().aborted, 1u);
    settle();
    post("too late");
    settle();
    EXPECT_EQ(a_->moves().droppedTasks(), 1u);
}

TEST_P(ChannelMovesEndTest, ItJoinsTheDrainThatItFinds) {
    MovingHandler& handler = add(a_);
    Link other = makeLink();
    b_.add(std::make_unique<MovingHandler>(std::move(other.channel), "o", journal_),
           Interest::read);
    handler.onLeaving = [&] {
        b_->requestClose();
        b_.turn();
        journal_ = {"c leaving"};
    };
    move(b_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "c drain"));
}

TEST_P(ChannelMovesEndTest, NothingLeavesADispatcherThatDrains) {
    MovingHandler& handler = add(a_);
    a_->requestClose();
    a_.turn();
    a_.inTurn([&] {
        EXPECT_TRUE(a_->moves().moveNow(handler.channel(), *b_).error().is(Errc::stopped));
    });
    move(b_);
    EXPECT_THAT(errors_, ElementsAre("the dispatcher has stopped"));
    EXPECT_TRUE(isAt(a_));
}

TEST_P(ChannelMovesEndTest, AHomeThatDrainsWaitsForThoseThatAreAway) {
    MovingHandler& handler = add(a_);
    move(b_);
    a_->requestClose();
    a_.turns(3);
    EXPECT_FALSE(a_->isStopped()) << "posts by handle still go by way of it";
    post("still heard");
    settle();
    EXPECT_EQ(journal_.back(), "still heard on b");
    b_.inTurn([&] { handler.channel().close(); });
    settle();
    EXPECT_TRUE(a_->isStopped());
}

TEST_P(ChannelMovesEndTest, AHomeThatIsGoneHarmsNobody) {
    auto home = std::make_unique<TestDispatcher>("home", with(GetParam()));
    MovingHandler& handler = add(*home);
    ASSERT_TRUE((*home)->moves().moveLater(handle_, *b_, errors()));
    home->turn();
    settle();
    home.reset();
    link_.peer.send("x");
    settle();
    EXPECT_EQ(handler.kept, "x");
    b_.inTurn([&] {
        EXPECT_TRUE(b_->moves().moveNow(handler.channel(), *c_).error().is(Errc::stopped));
        handler.channel().close();
    });
    EXPECT_EQ(journal_.back(), "c destroyed");
}

TEST_P(ChannelMovesEndTest, WhatItsHomeHoldsBackWhenItStopsIsDropped) {
    add(a_);
    ASSERT_TRUE(a_->moves().moveLater(handle_, *b_, errors()));
    post("held");
    a_.turn();
    a_->requestClose({.deadline = 0ms});
    while (a_.turn()) {
    }
    EXPECT_EQ(a_->moves().droppedTasks(), 1u);
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived"));
}

TEST_P(ChannelMovesEndTest, AChannelThatIsRegisteredAgainStaysMovable) {
    MovingHandler& handler = add(a_);
    move(b_);
    b_.inTurn([&] {
        auto next = std::make_unique<MovingHandler>(std::move(handler.channel()), "next", journal_);
        EXPECT_EQ(b_->registerChannelNow(std::move(next), Interest::read).value(), handle_);
    });
    journal_.clear();
    move(c_);
    EXPECT_THAT(journal_, ElementsAre("next leaving", "next arrived"));
}

TEST_P(ChannelMovesEndTest, TheDispatcherOfAnotherThreadRefusesTheNowCall) {
    MovingHandler& handler = add(a_);
    EXPECT_THROW((void)a_->moves().moveNow(handler.channel(), *b_), WrongThreadError);
    b_.inTurn(
        [&] { EXPECT_THROW((void)b_->moves().moveNow(handler.channel(), *b_), WrongThreadError); });
}

// epoll refuses a regular file.
TEST(ChannelMovesToADispatcherThatCannotWatchIt, IsTheEndOfTheChannel) {
    Journal journal;
    std::vector<std::string> errors;
    Link link = makeLink();
    TestDispatcher a{"a", with(SelectorKind::epoll)}, b{"b", with(SelectorKind::epoll)};
    MovingHandler& handler = a.add(
        std::make_unique<MovingHandler>(std::move(link.channel), "c", journal), Interest::read);
    ChannelHandle handle;
    a.inTurn([&] { handle = a->handleOf(handler.channel()); });
    ASSERT_TRUE(a->moves().moveLater(
        handle, *b, [&](const Error& error) { errors.push_back(error.message()); }));
    a.turn();
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::dup2(file.get(), handler.channel().fd()), handler.channel().fd());
    b.turn();
    EXPECT_THAT(journal, ElementsAre("c leaving", "c closed", "c destroyed"));
    EXPECT_EQ(errors.size(), 1u);
    EXPECT_EQ(b->connectionCount(), 0u);
    ASSERT_TRUE(a->invokeLater(handle, [](SelectorHandler&) {}));
    a.turns(2);
    EXPECT_EQ(a->moves().droppedTasks(), 1u);
}

}  // namespace
}  // namespace nio
