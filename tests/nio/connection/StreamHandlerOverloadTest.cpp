// Connections and the memory budget of their dispatchers: who is dropped.
#include <nio/connection/StreamHandler.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <vector>

#include "nio/connection/MemoryTesting.h"
#include "support/LogCapture.h"

namespace {

using support::Link;
using support::makeLink;
using support::MiB;
using Connection = support::SilentConnection;

using StreamHandlerOverloadTest = support::MemoryTesting;

TEST_F(StreamHandlerOverloadTest, WhoHoldsTheMostIsDroppedWithTheReason) {
    begin();
    Connection large = connect(a());
    Connection small = connect(a());
    fill(a(), large, 6 * MiB);
    fill(a(), small, 41 * MiB / 10);
    a().turns(2);
    EXPECT_TRUE(large.seen->ended);
    ASSERT_TRUE(large.seen->reason);
    EXPECT_TRUE(large.seen->reason->is(nio::Errc::memoryBudget));
    EXPECT_FALSE(small.seen->ended);
    EXPECT_EQ(budget->figures().dropped, 1U);
    EXPECT_LT(budget->figures().bytes, 5 * MiB);
}

TEST_F(StreamHandlerOverloadTest, ADispatcherWithLessThanItsPartDropsNobody) {
    begin();
    Connection large = connect(a());
    Connection small = connect(b());
    fill(a(), large, 7 * MiB);
    fill(b(), small, 31 * MiB / 10);
    ASSERT_TRUE(turnBothUntil([&] { return large.seen->ended; })) << "b's growth alarms a";
    EXPECT_FALSE(small.seen->ended);
}

TEST_F(StreamHandlerOverloadTest, MarkedConnectionsAreEvictedFirst) {
    begin();
    Connection large = connect(a());
    Connection stranger = connect(a());
    a().inTurn([&] { stranger.stream->setEvictFirst(true); });
    fill(a(), stranger, 1 * MiB);
    fill(a(), large, 91 * 10 * MiB / 100);
    a().turns(2);
    EXPECT_TRUE(stranger.seen->ended);
    EXPECT_FALSE(large.seen->ended);
}

TEST_F(StreamHandlerOverloadTest, MarkedOnesGoBeforeNewcomersAreRefused) {
    begin();
    Connection large = connect(a());
    Connection stranger = connect(a());
    a().inTurn([&] { stranger.stream->setEvictFirst(true); });
    fill(a(), stranger, 1 * MiB);
    fill(a(), large, 81 * 10 * MiB / 100);
    a().turns(2);
    EXPECT_TRUE(stranger.seen->ended);
    EXPECT_FALSE(large.seen->ended);
    a().inTurn([&] { EXPECT_FALSE(a()->memory().refusesConnections()); });
}

TEST_F(StreamHandlerOverloadTest, AMarkThatIsTakenBackCountsNoMore) {
    begin();
    Connection large = connect(a());
    Connection known = connect(a());
    a().inTurn([&] { known.stream->setEvictFirst(true); });
    fill(a(), known, 1 * MiB);
    a().inTurn([&] { known.stream->setEvictFirst(false); });
    fill(a(), large, 91 * 10 * MiB / 100);
    a().turns(2);
    EXPECT_TRUE(large.seen->ended);
    EXPECT_FALSE(known.seen->ended);
}

// Though it holds most of the budget, while another one has marked connections.
TEST_F(StreamHandlerOverloadTest, ADispatcherWithoutMarkedOnesWaitsForOthers) {
    begin();
    Connection large = connect(a());
    Connection stranger = connect(b());
    b().inTurn([&] { stranger.stream->setEvictFirst(true); });
    fill(b(), stranger, 1 * MiB);
    fill(a(), large, 91 * 10 * MiB / 100);
    ASSERT_TRUE(turnBothUntil([&] { return stranger.seen->ended; }));
    EXPECT_FALSE(large.seen->ended);
}

TEST_F(StreamHandlerOverloadTest, WhoGrowsAgainAfterAFallSeesWhatOthersHoldByThen) {
    begin();
    Connection first = connect(a());
    fill(a(), first, 7 * MiB);
    a().inTurn([&] { first.stream->abort(); });
    Connection other = connect(b());
    fill(b(), other, 6 * MiB);
    Connection second = connect(a());
    fill(a(), second, 3 * MiB);
    a().inTurn([&] { EXPECT_TRUE(a()->memory().pausesReading()); });
}

TEST_F(StreamHandlerOverloadTest, SoManyAreDroppedBeforeOthersAreServed) {
    nio::MemoryBudgetOptions options = budgetOptions();
    options.maxDropsAtOnce = 2;
    begin(options);
    std::list<Connection> all;
    for (int i = 0; i < 5; ++i) all.push_back(connect(a()));
    for (Connection& each : all) fill(a(), each, 15 * MiB / 10);
    std::vector<std::uint64_t> dropped;
    const auto count = [&] { dropped.push_back(budget->figures().dropped); };
    Connection last = connect(a());
    a().inTurn([&] {
        ASSERT_TRUE(a()->invokeLater(count));
        for (Connection& each : all) a()->countBuffered(each.stream->channel(), 20 * MiB);
    });
    for (int i = 0; i < 4; ++i) {
        a().turn();
        count();
    }
    EXPECT_THAT(dropped, testing::ElementsAre(2U, 4U, 5U, 5U, 5U));
    EXPECT_FALSE(last.seen->ended);
}

TEST_F(StreamHandlerOverloadTest, NobodyIsDroppedOrStoppedWhereThatIsOff) {
    nio::MemoryBudgetOptions options = budgetOptions();
    options.pauseAt = options.dropAt = 0;
    begin(options);
    Connection large = connect(a());
    fill(a(), large, 12 * MiB);
    EXPECT_TRUE(isRead(a(), large));
    a().inTurn([&] { EXPECT_TRUE(a()->memory().refusesConnections()); });
}

// For handlers that are no streams.
TEST_F(StreamHandlerOverloadTest, AHandlerThatDoesNotCloseWhenItMustIsClosed) {
    class Stubborn final : public nio::ReadWriteSelectorHandler {
      public:
        explicit Stubborn(nio::SocketChannel channel) : channel_(std::move(channel)) {}
        nio::SelectableChannel& channel() override { return channel_; }
        void handleRead() override {}
        void handleWrite() override {}
        void handleOverload() override {}

      private:
        nio::SocketChannel channel_;
    };
    begin();
    Link link = makeLink();
    auto& stubborn =
        a().add(std::make_unique<Stubborn>(std::move(link.channel)), nio::Interest::read);
    a().inTurn([&] { a()->countBuffered(stubborn.channel(), 11 * MiB); });
    a().turns(2);
    EXPECT_EQ(link.peer.receiveAll(), "");
    EXPECT_EQ(budget->figures().bytes, 0U);
}

TEST_F(StreamHandlerOverloadTest, ReliefIsReportedBeforeTheNextEvent) {
    class Frugal final : public nio::ReadWriteSelectorHandler {
      public:
        Frugal(nio::SocketChannel channel, std::vector<bool>& pauses)
            : channel_(std::move(channel)), pauses_(pauses) {}
        nio::SelectableChannel& channel() override { return channel_; }
        void handleRead() override {}
        void handleWrite() override {}
        void handlePressure() override {
            pauses_.push_back(dispatcher().memory().pausesReading());
            for (std::size_t bytes : {std::size_t{0}, nio::MemoryBudget::step})
                dispatcher().countBuffered(channel_, bytes);
        }

      private:
        nio::SocketChannel channel_;
        std::vector<bool>& pauses_;
    };
    nio::MemoryBudgetOptions options = budgetOptions();
    options.lookInterval = std::chrono::hours(1);
    begin(options);
    Link link = makeLink();
    std::vector<bool> pauses;
    auto& frugal =
        a().add(std::make_unique<Frugal>(std::move(link.channel), pauses), nio::Interest::read);
    a().inTurn([&] { a()->countBuffered(frugal.channel(), 85 * 10 * MiB / 100); });
    a().turn();
    EXPECT_THAT(pauses, testing::ElementsAre(true, false));
}

// Those that hold memory and never read do not lock all others out.
TEST_F(StreamHandlerOverloadTest, EvictsTheLargestHolderAfterLongRefusals) {
    nio::MemoryBudgetOptions options = budgetOptions();
    options.dropAfter = std::chrono::milliseconds(1);
    begin(options);
    Connection large = connect(a());
    Connection small = connect(a());
    fillALittle(a(), small);
    fill(a(), large, 91 * 10 * MiB / 100);
    const nio::TimePoint late = nio::Clock::now() + std::chrono::milliseconds(5);
    ASSERT_TRUE(a().turnUntil([&] { return nio::Clock::now() > late; }));
    EXPECT_FALSE(large.seen->ended) << "nobody was refused";
    a().inTurn([&] { a()->memory().countRefused(); });
    ASSERT_TRUE(a().turnUntil([&] { return large.seen->ended; }));
    EXPECT_TRUE(large.seen->reason->is(nio::Errc::memoryBudget));
    a().turns(3);
    EXPECT_FALSE(small.seen->ended);
}

TEST_F(StreamHandlerOverloadTest, WhatTheLogSaysLastIsHowItIs) {
    support::LogCapture log;
    begin();
    Connection large = connect(a());
    fill(a(), large, 91 * 10 * MiB / 100);
    EXPECT_EQ(log.count("reads paused on connections with pending output"), 1U);
    a().inTurn([&] { large.stream->abort(); });
    EXPECT_TRUE(a().turnUntil([&] { return log.count("no limits in force") == 1; }));
    EXPECT_LE(log.lines().size(), 3U);
}

TEST_F(StreamHandlerOverloadTest, TheLogCountsPacketsInFlightToo) {
    support::LogCapture log;
    begin();
    Connection small = connect(a());
    budget->addPosted(9 * MiB);
    fill(a(), small, MiB / 2);
    budget->addPosted(-static_cast<std::ptrdiff_t>(9 * MiB));
    ASSERT_EQ(log.count("reads paused on connections with pending output"), 1U);
    const std::string line = log.lines().front();
    const std::string name = "memory budget (a): ";
    EXPECT_GE(std::stoull(line.substr(line.find(name) + name.size())), 9 * MiB);
}

TEST_F(StreamHandlerOverloadTest, WhoeverGrowsDropsWhenTheBudgetIsOverdrawn) {
    begin();
    Connection large = connect(a());
    Connection small = connect(b());
    fill(a(), large, 97 * 10 * MiB / 100);
    fill(b(), small, 9 * 10 * MiB / 100);
    b().turns(2);
    EXPECT_TRUE(small.seen->ended) << "a makes no turn: it may hang";
    EXPECT_FALSE(large.seen->ended);
}

TEST_F(StreamHandlerOverloadTest, EachActionIsLoggedOnceASecondAtMost) {
    support::LogCapture log;
    begin();
    for (int i = 0; i < 20; ++i) {
        Connection large = connect(a());
        fill(a(), large, 101 * MiB / 10);
        ASSERT_TRUE(a().turnUntil([&] { return large.seen->ended; }));
    }
    EXPECT_EQ(budget->figures().dropped, 20U);
    EXPECT_GE(log.count("memory budget (a): evicted"), 1U);
    EXPECT_LT(log.count("memory budget (a): evicted"), 20U);
    EXPECT_GE(log.count("reads paused on connections with pending output"), 1U);
    EXPECT_LT(log.count("reads paused on connections with pending output"), 20U);
}

// The end of the pressure comes with the drop, so soon after another that the log says nothing.
TEST_F(StreamHandlerOverloadTest, ReadingGoesOnWhenADropHasEndedThePressure) {
    const support::LogCapture log;
    begin();
    {
        Connection first = connect(a());
        fill(a(), first, 81 * 10 * MiB / 100);
        a().inTurn([&] { first.stream->abort(); });
        ASSERT_TRUE(turnBothUntil([&] { return log.count("no limits in force") > 0; }));
    }
    Connection small = connect(a());
    fillALittle(a(), small);
    Connection large = connect(a());
    fill(a(), large, 81 * 10 * MiB / 100);
    EXPECT_FALSE(isRead(a(), small));
    fill(a(), large, 12 * MiB);
    ASSERT_TRUE(large.seen->ended);
    EXPECT_TRUE(turnBothUntil([&] { return small.seen->arrived == "!"; }));
}

TEST_F(StreamHandlerOverloadTest, WhoLooksBetweenAMarkAndItsEndLooksAgain) {
    nio::MemoryBudgetOptions options = budgetOptions();
    options.pauseAt = 0;
    begin(options);
    Connection large = connect(a());
    Connection other = connect(b());
    b().turns(2);
    const auto hold = [&](std::size_t percent) {
        a().inTurn([&] { a()->countBuffered(large.stream->channel(), percent * 10 * MiB / 100); });
    };
    hold(91);
    hold(87);
    b().turns(3);
    hold(97);
    EXPECT_TRUE(turnBothUntil([&] {
        bool refuses = false;
        b().inTurn([&] { refuses = b()->memory().refusesConnections(); });
        return refuses;
    }));
}

TEST_F(StreamHandlerOverloadTest, WhoHasStoppedDoesNothingAnyMore) {
    begin();
    Connection large = connect(a());
    a().inTurn([&] { a()->countBuffered(large.stream->channel(), 95 * 10 * MiB / 100); });
    EXPECT_TRUE(budget->figures().overload.refuses);
    a()->requestClose({.deadline = std::chrono::milliseconds(0)});
    while (a().turn()) {
    }
    EXPECT_FALSE(budget->figures().overload.any());
}

TEST_F(StreamHandlerOverloadTest, WithoutDroppingNobodyIsOverdrawn) {
    nio::MemoryBudgetOptions options = budgetOptions();
    options.dropAt = 0;
    EXPECT_FALSE(nio::MemoryBudget(options).isOverdrawn(20 * MiB));
    EXPECT_TRUE(nio::MemoryBudget(budgetOptions()).isOverdrawn(20 * MiB));
}

}  // namespace
