// Moves that are refused, or end, on the way: by what the handler does while it leaves or arrives,
// by a kernel that does not watch its channel, by a dispatcher that drains.
#include <nio/loop/ChannelMoves.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include <nio/group/Rebalancer.h>

#include "nio/loop/MovesTesting.h"
#include "support/FaultySelector.h"

namespace nio {
namespace {

using support::FaultySelector;
using support::Journal;
using support::Link;
using support::makeLink;
using support::MovingHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using support::with;
using testing::ElementsAre;
using testing::IsEmpty;

using ChannelMovesRefusalTest = support::MovesTest;

INSTANTIATE_TEST_SUITE_P(Engines, ChannelMovesRefusalTest,
                         testing::ValuesIn(support::everyEngine()), support::EngineName());

TEST_P(ChannelMovesRefusalTest, AHandlerThatIsNotMadeForItIsToldLater) {
    RecordingHandler& fixed = a_.add(link_, "fixed", journal_);
    a_.inTurn([&] {
        handle_ = a_->handleOf(fixed.channel());
        EXPECT_TRUE(a_->moves().moveNow(fixed.channel(), *b_).error().is(Errc::notMovable));
    });
    move(b_);
    EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
    EXPECT_TRUE(isAt(a_));
    a_.inTurn([&] { EXPECT_EQ(nio::Rebalancer::giveAway(*a_, *b_, 1.0, 10), 0u); });
}

TEST_P(ChannelMovesRefusalTest, AChannelThatIsNotRegisteredIsNoneToMove) {
    a_.inTurn([&] {
        EXPECT_EQ(a_->handleOf(link_.channel), ChannelHandle());
        EXPECT_TRUE(a_->moves().moveNow(link_.channel, *b_).error().is(Errc::notRegistered));
    });
}

TEST_P(ChannelMovesRefusalTest, NothingIsGivenAwayToADispatcherThatHasStopped) {
    MovingHandler& handler = add(a_);
    link_.peer.send("x");
    settle();
    b_->requestClose({.deadline = std::chrono::milliseconds(0)});
    while (b_.turn()) {
    }
    a_.inTurn([&] { EXPECT_EQ(nio::Rebalancer::giveAway(*a_, *b_, 1.0, 10), 0u); });
    settle();
    EXPECT_THAT(journal_, ElementsAre("c read"));
    EXPECT_EQ(&handler.dispatcher(), &*a_);
}

TEST_P(ChannelMovesRefusalTest, AGuestThatClosesWhileLeavingIsNotMoved) {
    MovingHandler& handler = add(a_);
    move(b_);
    journal_.clear();
    handler.onLeaving = [&] { handler.channel().close(); };
    move(c_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c closed", "c destroyed"));
    EXPECT_THAT(errors_, ElementsAre("the channel is not registered"));
    post("too late");
    settle();
    EXPECT_EQ(a_->moves().droppedTasks() + b_->moves().droppedTasks() + c_->moves().droppedTasks(),
              1u);
}

TEST_P(ChannelMovesRefusalTest, AnotherHandlerThatTookItsPlaceWhileItLeftStays) {
    MovingHandler& handler = add(a_);
    handler.onLeaving = [&] {
        a_->registerChannelNow(
              std::make_unique<MovingHandler>(std::move(handler.channel()), "next", journal_),
              Interest::none)
            .orThrow();
    };
    move(b_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c destroyed"));
    EXPECT_THAT(errors_, ElementsAre("the channel cannot migrate"));
    EXPECT_TRUE(isAt(a_));
    link_.peer.send("x");
    settle();
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c destroyed")) << "its own interest";
    move(b_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c destroyed", "next leaving", "next arrived"));
}

TEST_P(ChannelMovesRefusalTest, WhoClosesOnArrivalIsNotToldOfTheDrainThatItFinds) {
    MovingHandler& handler = add(a_);
    Link other = makeLink();
    b_.add(std::make_unique<MovingHandler>(std::move(other.channel), "o", journal_),
           Interest::read);
    handler.onLeaving = [&] {
        b_->requestClose();
        b_.turn();
        journal_ = {"c leaving"};
    };
    handler.onArrived = [&] { handler.channel().close(); };
    move(b_);
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c arrived", "c closed", "c destroyed"));
    EXPECT_EQ(b_->connectionCount(), 1u);
}

TEST_P(ChannelMovesRefusalTest, ClosingOnRegistrationIsNotToldOfADrain) {
    add(a_);
    a_->requestClose();
    a_.turn();
    journal_.clear();
    Link other = makeLink();
    auto late = std::make_unique<MovingHandler>(std::move(other.channel), "late", journal_);
    MovingHandler& handler = *late;
    handler.onRegistered = [&] { handler.channel().close(); };
    a_.inTurn([&] { EXPECT_TRUE(a_->registerChannelNow(std::move(late), Interest::read).ok()); });
    a_.turn();
    EXPECT_THAT(journal_, ElementsAre("late closed", "late destroyed"));
}

// A channel whose descriptor the kernel will not watch is lost on arrival: epoll refuses a file.
class LostOnItsWay : public testing::Test {
  protected:
    struct Loser final : support::MovingHandler {
        using MovingHandler::MovingHandler;
        void lost(const Error&) override NIO_REQUIRES(onDispatcher) {
            throw std::runtime_error("worse");
        }
    };

    void lose(std::function<void()> onLeaving = {}) {
        Loser& loser = a_.add(std::make_unique<Loser>(std::move(link_.channel), "c", journal_),
                              Interest::read);
        loser.onLeaving = std::move(onLeaving);
        ChannelHandle handle;
        a_.inTurn([&] { handle = a_->handleOf(loser.channel()); });
        EXPECT_TRUE(a_->moves().moveLater(
            handle, *b_, [this](const Error& error) { errors_.push_back(error.message()); }));
        a_.turn();
        const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        EXPECT_EQ(::dup2(file.get(), loser.channel().fd()), loser.channel().fd());
    }

    Journal journal_;
    std::vector<std::string> errors_;
    Link link_ = makeLink();
    TestDispatcher a_{"a", with(SelectorKind::epoll)};
    TestDispatcher b_{"b", with(SelectorKind::epoll)};
};

TEST_F(LostOnItsWay, AHandlerThatThrowsWhenItIsToldIsReported) {
    lose();
    b_.turn();
    EXPECT_THAT(b_.failures, ElementsAre("moved handler::lost: worse"));
    EXPECT_THAT(journal_, ElementsAre("c leaving", "c destroyed"));
    EXPECT_EQ(errors_.size(), 1u);
}

TEST_F(LostOnItsWay, TheDrainThatItWouldHaveJoinedHasItInItsReport) {
    Link other = makeLink();
    b_.add(std::make_unique<MovingHandler>(std::move(other.channel), "o", journal_),
           Interest::read);
    lose([&] {
        b_->requestClose();
        b_.turn();
    });
    EXPECT_EQ(b_->draining().report().drained + b_->draining().report().aborted, 0u);
    b_.turn();
    EXPECT_EQ(journal_.back(), "c destroyed");
    EXPECT_EQ(b_->draining().report().drained + b_->draining().report().aborted, 1u);
    EXPECT_EQ(b_->connectionCount(), 1u);
}

// The kernel does not watch its channel any more: that ends it, and nobody waits for its arrival.
TEST(ChannelMovesOfABrokenChannel, AreRefused) {
    Journal journal;
    FaultySelector::Faults faults;
    Link link = makeLink();
    Link early = makeLink();
    std::vector<std::string> errors;
    TestDispatcher a{"a", FaultySelector::options(faults)};
    TestDispatcher b{"b"};
    RecordingHandler& first = a.add(early, "first", journal);
    MovingHandler& handler = a.add(
        std::make_unique<MovingHandler>(std::move(link.channel), "c", journal), Interest::none);
    const auto beginMove = [&] {
        a->moves().begin({a->handleOf(handler.channel()),
                          {&*b, b->queue()},
                          [&](const Error& error) { errors.push_back(error.message()); }});
    };
    // It is asked for in the very turn that finds out, before the channel's own turn comes.
    first.onRevisit = beginMove;
    a.inTurn([&] {
        a->addChannelInterestNow(handler.channel(), Interest::read);
        a->revisitLater(first.channel());
        faults.rearm = true;
    });
    a.turn();
    EXPECT_THAT(errors, ElementsAre("the channel cannot migrate"));
    EXPECT_THAT(journal, ElementsAre("first revisit", "c failure", "c closed", "c destroyed"));
    EXPECT_THAT(a.failures, ElementsAre(testing::StartsWith("c::dispatch: epoll_ctl")));
}

}  // namespace
}  // namespace nio
