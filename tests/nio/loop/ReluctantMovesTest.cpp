// Moves from an engine that has operations under way and does not let go at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include <nio/memory/MemoryBudget.h>

#include "support/MovingHandler.h"
#include "support/ReluctantSelector.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::MovingHandler;
using support::ReluctantSelector;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

// From a guest's place, too: what is said of the one is to hold for the other.
class ReluctantMovesTest : public testing::TestWithParam<bool> {
  protected:
    ReluctantMovesTest() {
        mood_.lets = true;
        TestDispatcher& first = GetParam() ? home_ : a_;
        handler_ =
            &first.add(std::make_unique<MovingHandler>(std::move(link_.channel), "c", journal_),
                       Interest::read);
        first.inTurn([&] { handle_ = first->handleOf(handler_->channel()); });
        if (GetParam()) moveTo(a_);
        EXPECT_TRUE(a_.failures.empty());
        journal_.clear();
        mood_.lets = false;
        mood_.asked = 0;
    }
    void moveTo(TestDispatcher& target) {
        ASSERT_TRUE(home()->moves().moveLater(
            handle_, *target, [&](const Error& error) { errors_.push_back(error.message()); }));
        settle();
    }
    TestDispatcher& home() { return GetParam() ? home_ : a_; }
    void settle() {
        for (int i = 0; i < 6; ++i) {
            for (TestDispatcher* each : {&home_, &a_, &b_}) each->turn();
        }
    }
    void post(const std::string& what) {
        ASSERT_TRUE(home()->invokeLater(handle_, [this, what](SelectorHandler& handler) {
            journal_.push_back(what + " on " + handler.dispatcher().name());
        }));
    }

    Journal journal_;
    std::vector<std::string> errors_;
    ReluctantSelector::Mood mood_;
    Link link_ = makeLink();
    ChannelHandle handle_;
    MovingHandler* handler_ = nullptr;
    TestDispatcher home_{"home"};
    TestDispatcher a_{"a", ReluctantSelector::options(mood_)};
    TestDispatcher b_{"b"};
};

INSTANTIATE_TEST_SUITE_P(From, ReluctantMovesTest, testing::Bool(),
                         [](const auto& place) { return place.param ? "elsewhere" : "home"; });

TEST_P(ReluctantMovesTest, AsksAgainAfterEachSelectAndCallsNobodyMeanwhile) {
    handler_->onLeaving = [&] {
        a_->flushLater(handler_->channel());
        a_->revisitLater(handler_->channel());
    };
    moveTo(b_);
    EXPECT_GT(mood_.asked, 3);
    post("held");
    link_.peer.send("one");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving"));
    mood_.lets = true;
    settle();
    ASSERT_GT(journal_.size(), 1u);
    EXPECT_EQ(journal_[1], "c arrived");
    EXPECT_THAT(journal_, testing::UnorderedElementsAre("c leaving", "c arrived", "held on b",
                                                        "c flush", "c revisit", "c read"));
    EXPECT_EQ(handler_->kept, "one");
}

TEST_P(ReluctantMovesTest, WhatItAsksForWhileItWaitsItGetsWhereItGoes) {
    moveTo(b_);
    a_.inTurn([&] {
        a_->flushLater(handler_->channel());
        a_->revisitLater(handler_->channel());
    });
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving"));
    mood_.lets = true;
    settle();
    ASSERT_GT(journal_.size(), 1u);
    EXPECT_EQ(journal_[1], "c arrived");
    EXPECT_THAT(journal_,
                testing::UnorderedElementsAre("c leaving", "c arrived", "c flush", "c revisit"));
}

TEST_P(ReluctantMovesTest, AnAddedInterestIsWatchedOnTheTarget) {
    a_.inTurn([&] { a_->setChannelInterestNow(handler_->channel(), Interest::none); });
    moveTo(b_);
    a_.inTurn([&] { a_->addChannelInterestNow(handler_->channel(), Interest::read); });
    link_.peer.send("one");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving"));
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "c read"));
    EXPECT_EQ(handler_->kept, "one");
}

TEST_P(ReluctantMovesTest, ARemovedInterestIsNotWatchedOnTheTarget) {
    moveTo(b_);
    a_.inTurn([&] { a_->removeChannelInterestNow(handler_->channel(), Interest::read); });
    link_.peer.send("one");
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived"));
    b_.inTurn([&] { b_->setChannelInterestNow(handler_->channel(), Interest::read); });
    settle();
    EXPECT_EQ(handler_->kept, "one");
}

TEST_P(ReluctantMovesTest, OneThatStaysIsWatchedForWhatWasSaidMeanwhile) {
    a_.inTurn([&] { a_->setChannelInterestNow(handler_->channel(), Interest::none); });
    moveTo(b_);
    a_.inTurn([&] { a_->setChannelInterestNow(handler_->channel(), Interest::read); });
    handler_->movable = false;
    settle();
    link_.peer.send("one");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "c read"));
    EXPECT_EQ(&handler_->dispatcher(), &*a_);
}

TEST_P(ReluctantMovesTest, WhoTookItsPlaceIsWatchedForWhatItAsksForItself) {
    moveTo(b_);
    MovingHandler* next = nullptr;
    a_.inTurn([&] {
        auto made =
            std::make_unique<MovingHandler>(std::move(handler_->channel()), "next", journal_);
        next = made.get();
        EXPECT_TRUE(a_->registerChannelNow(std::move(made), Interest::none).ok());
        a_->addChannelInterestNow(next->channel(), Interest::read);
    });
    link_.peer.send("one");
    settle();
    EXPECT_EQ(next->kept, "one");
}

// The departures before it move up.
TEST_P(ReluctantMovesTest, WhoIsAskedMayCloseAnotherThatWaits) {
    Link other = makeLink();
    MovingHandler& first =
        a_.add(std::make_unique<MovingHandler>(std::move(other.channel), "first", journal_),
               Interest::read);
    a_.inTurn([&] { EXPECT_TRUE(a_->moves().moveNow(first.channel(), *b_).ok()); });
    settle();
    moveTo(b_);
    bool closed = false;
    handler_->onAsked = [&] {
        if (!std::exchange(closed, true)) first.channel().close();
    };
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, testing::Contains("c arrived"));
    EXPECT_THAT(journal_, testing::Contains("first destroyed"));
    EXPECT_EQ(&handler_->dispatcher(), &*b_);
}

TEST_P(ReluctantMovesTest, AsksAgainAlsoWhenNothingHappens) {
    moveTo(b_);
    mood_.lets = true;
    (*a_).turn(std::nullopt);  // would never end otherwise
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived"));
}

TEST_P(ReluctantMovesTest, HandsOutFirstWhatTheOldEngineHadTaken) {
    moveTo(b_);
    link_.peer.send("one ");
    settle();
    EXPECT_TRUE(handler_->channel().hasUnread());
    link_.peer.send("two ");
    settle();
    mood_.lets = true;
    settle();
    link_.peer.send("three");
    settle();
    EXPECT_EQ(handler_->kept, "one two three");
    EXPECT_FALSE(handler_->channel().hasUnread());
}

TEST_P(ReluctantMovesTest, AChannelThatIsClosedMeanwhileIsNotMoved) {
    moveTo(b_);
    post("held");
    a_.inTurn([&] { handler_->channel().close(); });
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c closed", "c destroyed"));
    EXPECT_THAT(errors_, ElementsAre("the channel is not registered"));
    EXPECT_EQ(home()->moves().droppedTasks(), 1u);
    EXPECT_EQ(a_->connectionCount(), 0u);
    home()->requestClose();
    home().turn();
    EXPECT_TRUE((*home()).isStopped()) << "its slot is free";
}

TEST_P(ReluctantMovesTest, ADrainCallsItBack) {
    moveTo(b_);
    post("held");
    link_.peer.send("one");
    settle();
    a_->requestClose();
    settle();
    ASSERT_GT(journal_.size(), 2u);
    EXPECT_EQ(journal_[0], "c leaving");
    EXPECT_EQ(journal_[1], "c arrived");
    EXPECT_THAT(journal_, testing::UnorderedElementsAre("c leaving", "c arrived", "held on a",
                                                        "c drain", "c read"));
    EXPECT_THAT(errors_, ElementsAre("the dispatcher has stopped"));
    EXPECT_EQ(handler_->kept, "one");
    a_.inTurn([&] { handler_->channel().close(); });
    settle();
    EXPECT_TRUE(a_->isStopped());
}

TEST_P(ReluctantMovesTest, OneThatIsNotMovableAnyMoreStays) {
    moveTo(b_);
    post("held");
    handler_->movable = false;
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "held on a"));
    EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
    mood_.lets = true;
    settle();
    EXPECT_EQ(&handler_->dispatcher(), &*a_);
}

TEST_P(ReluctantMovesTest, OneThatIsCalledBackMayCloseAnotherThatIsToo) {
    std::vector<Link> links;
    std::vector<MovingHandler*> pair{handler_};
    links.push_back(makeLink());
    pair.push_back(
        &a_.add(std::make_unique<MovingHandler>(std::move(links[0].channel), "d", journal_),
                Interest::read));
    a_.inTurn([&] {
        for (MovingHandler* each : pair) {
            EXPECT_TRUE(a_->moves().moveNow(each->channel(), *b_).ok());
        }
    });
    settle();
    for (MovingHandler* each : pair) {
        each->onArrived = [&, each] { pair[each == pair[0] ? 1 : 0]->channel().close(); };
    }
    a_->requestClose();
    a_.turn();
    EXPECT_EQ(std::count(journal_.begin(), journal_.end(), "c arrived") +
                  std::count(journal_.begin(), journal_.end(), "d arrived"),
              1);
    EXPECT_EQ(a_->connectionCount(), 1u);
}

TEST_P(ReluctantMovesTest, AnAbortEndsIt) {
    moveTo(b_);
    post("held");
    a_->requestClose({.deadline = 0ms});
    settle();
    EXPECT_TRUE(a_->isStopped());
    EXPECT_EQ(journal_.back(), "c destroyed");
    EXPECT_EQ(a_->draining().report().aborted, 1u);
}

// It was never told that it leaves: what it has bound to its dispatcher must not go along.
TEST_P(ReluctantMovesTest, AReplacedHandlerKeepsItsOwnInterest) {
    moveTo(b_);
    post("held");
    MovingHandler* next = nullptr;
    a_.inTurn([&] {
        auto made =
            std::make_unique<MovingHandler>(std::move(handler_->channel()), "next", journal_);
        next = made.get();
        EXPECT_EQ(a_->registerChannelNow(std::move(made), Interest::none).orThrow(), handle_);
        EXPECT_EQ(a_->handleOf(next->channel()), handle_);
        a_->revisitLater(next->channel());
    });
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, testing::UnorderedElementsAre("c leaving", "c destroyed", "held on a",
                                                        "next revisit"));
    EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
    EXPECT_EQ(&next->dispatcher(), &*a_);
    link_.peer.send("x");
    settle();
    EXPECT_EQ(next->kept, "");
    moveTo(b_);
    EXPECT_EQ(&next->dispatcher(), &*b_);
}

TEST_P(ReluctantMovesTest, AHandlerThatIsNotMadeForItMayTakeItsPlaceMeanwhile) {
    moveTo(b_);
    a_.inTurn([&] {
        auto made = std::make_unique<support::RecordingHandler>(std::move(handler_->channel()),
                                                                "fixed", journal_);
        EXPECT_TRUE(a_->registerChannelNow(std::move(made), Interest::read).ok());
    });
    settle();
    link_.peer.send("x");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c destroyed", "fixed read"));
    EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
}

TEST_P(ReluctantMovesTest, ASecondRequestWaitsForTheFirst) {
    moveTo(b_);
    a_.inTurn([&] { EXPECT_FALSE(a_->moves().moveNow(handler_->channel(), *home_).ok()); });
    ASSERT_TRUE(home()->moves().moveLater(handle_, *a_));
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "c leaving", "c arrived"));
    EXPECT_EQ(&handler_->dispatcher(), &*a_);
    EXPECT_THAT(errors_, IsEmpty());
}

TEST_P(ReluctantMovesTest, HearsOfRoomForWhatFellShortWhileItLeft) {
    mood_.fallsShort = true;
    moveTo(b_);
    EXPECT_THAT(journal_, testing::Not(testing::Contains(testing::HasSubstr("write"))));
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, testing::Contains(testing::HasSubstr("write")));
}

TEST_P(ReluctantMovesTest, HearsOfItOnlyThereWhereItFallsShortLater) {
    moveTo(b_);
    mood_.fallsShort = true;
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving"));
    mood_.lets = true;
    settle();
    EXPECT_THAT(journal_, testing::Contains(testing::HasSubstr("write")));
}

TEST(ReluctantMoves, NothingIsSaidOfTheBudgetToAGuestThatLeaves) {
    Journal journal;
    ReluctantSelector::Mood mood;
    mood.lets = true;
    MemoryBudgetOptions budget;
    budget.bytes = 1024 * 1024;
    SelectorThreadOptions options = ReluctantSelector::options(mood);
    options.memoryBudget = std::make_shared<MemoryBudget>(budget);
    TestDispatcher home("home");
    TestDispatcher a("a", options);
    Link link = makeLink();
    MovingHandler& handler = home.add(
        std::make_unique<MovingHandler>(std::move(link.channel), "c", journal), Interest::read);
    ChannelHandle handle;
    home.inTurn([&] { handle = home->handleOf(handler.channel()); });
    const auto moveTo = [&](TestDispatcher& target) {
        ASSERT_TRUE(home->moves().moveLater(handle, *target, [](const Error&) {}));
        for (int i = 0; i < 6; ++i) {
            a.turn();
            home.turn();
        }
    };
    moveTo(a);
    journal.clear();
    mood.lets = false;
    handler.onLeaving = [&] { a->countBuffered(handler.channel(), 4 * budget.bytes); };
    moveTo(home);
    EXPECT_THAT(journal, ElementsAre("c leaving"));
    mood.lets = true;
    for (int i = 0; i < 6; ++i) {
        a.turn();
        home.turn();
    }
    EXPECT_THAT(journal, ElementsAre("c leaving", "c arrived"));
}

}  // namespace
}  // namespace nio
