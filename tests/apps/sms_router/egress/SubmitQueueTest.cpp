#include "sms_router/egress/SubmitQueue.h"

#include <gtest/gtest.h>

#include <string>

#include <nio/memory/MemoryBudget.h>

#include "sms_router/model/Account.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

constexpr std::size_t manyMay = 1000;

class SubmitQueueTest : public ::testing::Test {
  protected:
    static nio::SelectorThreadOptions options(std::shared_ptr<nio::MemoryBudget> budget) {
        nio::SelectorThreadOptions made;
        made.memoryBudget = std::move(budget);
        return made;
    }
    template <class F>
    void inTurn(F&& f) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }
    // `sequence` says which one it is.
    Submission request(Account& account, std::uint32_t sequence, std::size_t octets = 100,
                       std::uint32_t link = 1) {
        Submission made;
        made.origin = {nio::ChannelHandle(*dispatcher, link, 0), sequence, smpp::Command::submitSm,
                       0};
        made.account = &account;
        made.pdu.resize(octets);
        made.handedOver = nio::TimePoint(std::chrono::seconds(sequence));
        return made;
    }
    // Returns the sequence of what found no place, or 0.
    std::uint32_t push(Submission&& submission, std::size_t most = manyMay) {
        std::optional<Submission> noPlace;
        inTurn([&] { noPlace = queue.push(std::move(submission), most); });
        return noPlace ? noPlace->origin.sequence : 0;
    }
    std::vector<std::uint32_t> emptied() {
        std::vector<std::uint32_t> sequences;
        inTurn([&] {
            while (!queue.empty()) {
                EXPECT_EQ(queue.front().origin.sequence,
                          queue.front().handedOver.time_since_epoch() / std::chrono::seconds(1));
                sequences.push_back(queue.pop().origin.sequence);
            }
        });
        return sequences;
    }
    static std::vector<std::uint32_t> sequencesOf(const std::vector<Submission>& all) {
        std::vector<std::uint32_t> sequences;
        for (const Submission& each : all) sequences.push_back(each.origin.sequence);
        return sequences;
    }
    using Sequences = std::vector<std::uint32_t>;

    const std::shared_ptr<nio::MemoryBudget> budget =
        std::make_shared<nio::MemoryBudget>(nio::MemoryBudgetOptions{.bytes = 1024 * 1024});
    support::TestDispatcher dispatcher{"home", options(budget)};
    Account a{"a"};
    Account b{"b"};
    SubmitQueue queue{*dispatcher};
};

TEST_F(SubmitQueueTest, AccountsTakeTurns) {
    for (std::uint32_t i = 1; i <= 4; ++i) push(request(a, i));
    push(request(b, 11));
    push(request(b, 12));
    EXPECT_EQ(emptied(), (Sequences{1, 11, 2, 12, 3, 4}));
}

TEST_F(SubmitQueueTest, OctetsCountForTheMemoryBudget) {
    for (std::uint32_t i = 1; i <= 5; ++i) push(request(a, i, 20'000));
    EXPECT_GE(budget->figures().bytes, 100'000U);
    EXPECT_LE(budget->figures().bytes, 110'000U);
    emptied();
    EXPECT_EQ(budget->figures().bytes, 0U);
}

TEST_F(SubmitQueueTest, AnAccountHasNoMoreThanItMayHave) {
    const auto limited = [&](std::uint32_t sequence) {
        Submission made = request(a, sequence);
        made.mostWaiting = 2;
        return made;
    };
    EXPECT_EQ(push(limited(1)), 0U);
    EXPECT_EQ(push(limited(2)), 0U);
    EXPECT_EQ(push(limited(3)), 3U);
    EXPECT_EQ(push(request(b, 4)), 0U);
    EXPECT_EQ(queue.size(), 3U);
}

// A submit_multi whose first part found room is not torn.
TEST_F(SubmitQueueTest, ThePartsOfARequestFindRoomTogether) {
    const auto part = [&](std::uint32_t sequence, std::uint32_t number) {
        Submission made = request(a, sequence);
        made.mostWaiting = 2;
        made.origin.part = number;
        return made;
    };
    EXPECT_EQ(push(part(1, 0)), 0U);
    for (std::uint32_t number = 1; number <= 5; ++number) {
        EXPECT_EQ(push(part(2, number)), 0U) << number;
    }
    EXPECT_EQ(push(part(3, 1)), 3U) << "the next one is refused as a whole";
    EXPECT_EQ(push(part(4, 0)), 4U);
    EXPECT_EQ(queue.size(), 6U);
}

TEST_F(SubmitQueueTest, WhenFullTheLargestAccountMakesRoom) {
    EXPECT_EQ(push(request(a, 1), 3), 0U);
    EXPECT_EQ(push(request(a, 2), 3), 0U);
    EXPECT_EQ(push(request(a, 3), 3), 0U);
    EXPECT_EQ(push(request(b, 11), 3), 3U);
    EXPECT_EQ(push(request(a, 4), 3), 4U);
    EXPECT_EQ(emptied(), (Sequences{1, 11, 2}));
}

TEST_F(SubmitQueueTest, WithoutMemoryTheLargestAccountMakesRoom) {
    std::uint32_t sequence = 0;
    while (push(request(a, ++sequence, 20'000)) == 0) ASSERT_LT(sequence, 100U);
    EXPECT_LT(budget->figures().bytes, 1024U * 1024);
    const std::size_t before = queue.size();
    EXPECT_EQ(push(request(b, 1000)), sequence - 1) << "the last one of a that is left";
    EXPECT_EQ(queue.size(), before);
}

TEST_F(SubmitQueueTest, GivesBackWhatCameFromAConnection) {
    push(request(a, 1, 100, 7));
    push(request(a, 2, 100, 8));
    push(request(a, 3, 100, 7));
    push(request(b, 4, 100, 9));
    inTurn([&] {
        EXPECT_EQ(sequencesOf(queue.takeFrom(nio::ChannelHandle(*dispatcher, 7, 0))),
                  (Sequences{1, 3}));
        EXPECT_EQ(sequencesOf(queue.takeFrom(nio::ChannelHandle(*dispatcher, 9, 0))),
                  (Sequences{4}));
    });
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_EQ(emptied(), (Sequences{2}));
    EXPECT_EQ(budget->figures().bytes, 0U);
}

TEST_F(SubmitQueueTest, GivesBackWhatHasWaitedTooLong) {
    push(request(a, 5));
    push(request(a, 7));
    push(request(b, 4));
    push(request(b, 8));
    EXPECT_EQ(queue.oldest(), nio::TimePoint(std::chrono::seconds(4)));
    inTurn([&] {
        EXPECT_EQ(sequencesOf(queue.takeOlderThan(nio::TimePoint(std::chrono::seconds(5)))),
                  (Sequences{5, 4}));
    });
    EXPECT_EQ(queue.oldest(), nio::TimePoint(std::chrono::seconds(7)));
    inTurn([&] { EXPECT_EQ(queue.takeAll().size(), 2U); });
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace router
