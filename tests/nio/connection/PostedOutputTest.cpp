#include <nio/connection/PostedOutput.h>

#include <gtest/gtest.h>

#include <nio/memory/MemoryBudget.h>

#include "support/FailingMemory.h"
#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

class PostedOutputTest : public testing::Test {
  protected:
    static StreamOptions options() {
        StreamOptions options;
        options.outputHighMark = 100;
        options.outputLimit = 1000;
        return options;
    }
    SendResult result() {
        return {sender->queue(), [this](const std::optional<Error>& error) {
                    told.push_back(error ? error->message() : "written");
                }};
    }
    std::vector<std::string> takeTold() {
        sender.turns(2);
        return std::exchange(told, {});
    }

    std::vector<std::string> told;
    support::TestDispatcher sender{"sender"};
    PostedOutput posted{options(), nullptr};
};

TEST_F(PostedOutputTest, CountsUntilReleased) {
    EXPECT_TRUE(posted.reserve(60).ok());
    EXPECT_TRUE(posted.reserve(40).ok());
    EXPECT_EQ(posted.inFlight(), 100u);
    EXPECT_TRUE(posted.reserve(1).error().is(std::errc::operation_would_block));
    posted.release(60);
    EXPECT_TRUE(posted.reserve(1).ok());
}

TEST_F(PostedOutputTest, AboveTheMarkNothingIsTaken) {
    posted.setAboveMark(true);
    EXPECT_TRUE(posted.reserve(1).error().is(std::errc::operation_would_block));
    posted.setAboveMark(false);
    EXPECT_TRUE(posted.reserve(1).ok());
}

TEST_F(PostedOutputTest, OneAboveTheMarkMayBeAlone) {
    EXPECT_TRUE(posted.reserve(1000).ok());
    EXPECT_FALSE(posted.reserve(1).ok());
}

TEST_F(PostedOutputTest, WhatIsToldToBeTakenIsTaken) {
    for (const std::size_t bytes : {1u, 51u, 100u, 900u, 950u, 951u, 1000u}) {
        PostedOutput output{options(), nullptr};
        ASSERT_TRUE(output.reserve(60).ok());
        if (output.reserve(bytes).ok()) continue;
        output.addWritable(result());
        while (output.tellWritable()) output.release(1);
        EXPECT_EQ(takeTold(), std::vector<std::string>{"written"}) << bytes;
        EXPECT_TRUE(output.reserve(bytes).ok()) << bytes;
        EXPECT_LE(output.inFlight(), 1000u);
    }
}

TEST_F(PostedOutputTest, OneAboveTheLimitIsNeverTaken) {
    EXPECT_TRUE(posted.reserve(1001).error().is(Errc::outputLimit));
}

TEST_F(PostedOutputTest, TellsEachResultOnce) {
    posted.makeRoom();
    posted.add(result());
    EXPECT_TRUE(takeTold().empty());
    posted.flushed();
    posted.flushed();
    posted.closed(Errc::cancelled);
    EXPECT_EQ(takeTold(), std::vector<std::string>{"written"});
}

TEST_F(PostedOutputTest, AResultIsInFlightUntilItIsTold) {
    posted.makeRoom();
    posted.add(result());
    EXPECT_EQ(posted.inFlight(), sizeof(SendResult));
    posted.flushed();
    EXPECT_EQ(posted.inFlight(), 0u);
}

TEST_F(PostedOutputTest, TellsTheReasonOfAClose) {
    posted.makeRoom();
    posted.add(result());
    posted.closed(Error(Errc::cancelled, "why"));
    posted.setAboveMark(false);
    EXPECT_TRUE(posted.reserve(1).error().is(Errc::notRegistered));
    posted.add(result());
    const std::string why = Error(Errc::cancelled, "why").message();
    EXPECT_EQ(takeTold(), (std::vector<std::string>{why, why}));
}

TEST_F(PostedOutputTest, AnItemThatIsDestroyedIsDropped) {
    StreamOptions roomy;
    const auto output = std::make_shared<PostedOutput>(roomy, nullptr);
    ASSERT_TRUE(output->reserve(30).ok());
    {
        PostedItem lost(output);
        lost.arm(30, result());
    }
    EXPECT_EQ(output->inFlight(), 0u);
    EXPECT_EQ(takeTold().size(), 1u);
    ASSERT_TRUE(output->reserve(30).ok());
    {
        PostedItem refused(output);
        refused.arm(30, result());
        refused.cancel();
    }
    EXPECT_EQ(output->inFlight(), 0u);
    EXPECT_TRUE(takeTold().empty());
}

TEST_F(PostedOutputTest, AStoppedSenderIsNotTold) {
    SendResult late = result();
    sender->requestClose({.deadline = std::chrono::milliseconds::zero()});
    while (sender.turn()) {
    }
    late.tell(std::nullopt);
    EXPECT_TRUE(told.empty());
}

TEST_F(PostedOutputTest, ATellWithoutMemoryIsTheOnlyOne) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    const std::optional<Error> error(Error(Errc::cancelled, std::string(100, 'x')));
    SendResult lost = result();
    support::LogCapture log;
    {
        const support::FailingMemory noMemory = support::FailingMemory::nth(0);
        lost.tell(error);
        EXPECT_TRUE(noMemory.hasFailed());
    }
    EXPECT_EQ(log.count("result of a send lost: out of memory"), 1u);
    ASSERT_FALSE(lost.isWanted());
    lost.tell(error);
    EXPECT_TRUE(takeTold().empty());
}

TEST_F(PostedOutputTest, CountsInTheMemoryBudget) {
    MemoryBudgetOptions options;
    options.bytes = 100;
    const auto budget = std::make_shared<MemoryBudget>(options);
    StreamOptions roomy;
    PostedOutput counted(roomy, budget);
    EXPECT_TRUE(counted.reserve(80).ok());
    EXPECT_EQ(budget->figures().bytes, 80u);
    EXPECT_TRUE(counted.reserve(1).error().is(std::errc::operation_would_block));
    counted.release(80);
    EXPECT_EQ(budget->figures().bytes, 0u);
    EXPECT_TRUE(counted.reserve(1).ok());
}

}  // namespace
}  // namespace nio
