#include <nio/connection/ConnectionPermit.h>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/FailingMemory.h"

namespace {

using nio::ConnectionGate;
using nio::ConnectionPermit;

TEST(ConnectionPermit, TheGateLetsInAsManyAsItsMaximum) {
    auto gate = std::make_shared<ConnectionGate>(2);
    EXPECT_TRUE(gate->enter());
    EXPECT_TRUE(gate->enter());
    EXPECT_FALSE(gate->enter());
    EXPECT_EQ(gate->open(), 2U);
}

TEST(ConnectionPermit, APermitGivesItsPlaceBackOnce) {
    auto gate = std::make_shared<ConnectionGate>(1);
    ASSERT_TRUE(gate->enter());
    {
        ConnectionPermit permit(gate);
        ConnectionPermit moved(std::move(permit));
        EXPECT_EQ(gate->open(), 1U);
        moved.release();
        EXPECT_EQ(gate->open(), 0U);
    }
    EXPECT_EQ(gate->open(), 0U);
}

TEST(ConnectionPermit, AssigningOverAPermitGivesTheOldPlaceBack) {
    auto gate = std::make_shared<ConnectionGate>(2);
    ASSERT_TRUE(gate->enter());
    ASSERT_TRUE(gate->enter());
    ConnectionPermit first(gate);
    ConnectionPermit second(gate);
    first = std::move(second);
    EXPECT_EQ(gate->open(), 1U);
}

TEST(ConnectionPermit, WhoWaitsIsCalledOnceWhenAPlaceIsFree) {
    auto gate = std::make_shared<ConnectionGate>(1);
    ASSERT_TRUE(gate->enter());
    int calls = 0;
    gate->waitForOne([&] { ++calls; });
    EXPECT_EQ(calls, 0);
    gate->leave();
    EXPECT_EQ(calls, 1);
    ASSERT_TRUE(gate->enter());
    gate->leave();
    EXPECT_EQ(calls, 1);
}

TEST(ConnectionPermit, AHigherMaximumLetsInWhoWaits) {
    auto gate = std::make_shared<ConnectionGate>(1);
    ASSERT_TRUE(gate->enter());
    int calls = 0;
    gate->waitForOne([&] { ++calls; });
    gate->setMaximum(2);
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(gate->enter());
    EXPECT_FALSE(gate->enter());
}

TEST(ConnectionPermit, ALowerMaximumHoldsForThoseWhoComeLater) {
    auto gate = std::make_shared<ConnectionGate>(2);
    ASSERT_TRUE(gate->enter());
    ASSERT_TRUE(gate->enter());
    gate->setMaximum(1);
    EXPECT_EQ(gate->open(), 2U);
    int calls = 0;
    gate->waitForOne([&] { ++calls; });
    gate->leave();
    EXPECT_FALSE(gate->enter());
    gate->leave();
    EXPECT_TRUE(gate->enter());
}

TEST(ConnectionPermit, OutOfMemoryPostponesTheCallToTheNextPlace) {
    auto gate = std::make_shared<ConnectionGate>(1);
    gate->enterAnyway();
    gate->enterAnyway();
    int calls = 0;
    gate->waitForOne([&] {
        if (++calls == 1) throw std::bad_alloc();
    });
    EXPECT_NO_THROW(gate->leave());
    gate->leave();
    EXPECT_EQ(calls, 2);
}

TEST(ConnectionPermit, AllWhoWaitAreCalled) {
    ConnectionGate gate(1);
    gate.enterAnyway();
    std::vector<int> calls(2);
    for (int& count : calls) gate.waitForOne([&] { ++count; }, &count);
    gate.waitForOne([&] { ++calls[1]; }, &calls[1]);
    gate.leave();
    EXPECT_EQ(calls, (std::vector{1, 1}));
}

TEST(ConnectionPermit, AWaiterThatIsExpectedNeedsNoMemory) {
    ConnectionGate gate(1);
    gate.expectWaiter();
    for (int round = 0; round < 3; ++round) {
        gate.enterAnyway();
        bool isCalled = false;
        const support::FailingMemory none = support::FailingMemory::from(0);
        gate.waitForOne([&] { isCalled = true; });
        gate.leave();
        EXPECT_TRUE(isCalled) << round;
    }
}

TEST(ConnectionPermit, WhoWaitsForAPlaceThatIsFreeIsCalledAtOnce) {
    ConnectionGate gate(1);
    int calls = 0;
    gate.waitForOne([&] { ++calls; });
    EXPECT_EQ(calls, 1);
}

TEST(ConnectionPermit, NoPlaceThatComesBackMeanwhileIsMissed) {
    auto gate = std::make_shared<ConnectionGate>(1);
    for (int round = 0; round < 2000; ++round) {
        ASSERT_TRUE(gate->enter());
        std::atomic<int> calls{0};
        std::thread other([&] { gate->leave(); });
        gate->waitForOne([&] { ++calls; });
        other.join();
        ASSERT_EQ(calls, 1) << "round " << round;
    }
}

}  // namespace
