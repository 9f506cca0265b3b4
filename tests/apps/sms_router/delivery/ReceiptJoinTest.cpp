#include "sms_router/delivery/ReceiptJoin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace router {
namespace {

using smpp::MessageState;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Verdict = ReceiptJoin::Verdict;

constexpr Whole ofThree{77, 3};
constexpr auto delivered = MessageState::delivered;
constexpr auto failed = MessageState::undeliverable;

TEST(ReceiptJoin, PassesTheLastWhenAllAreDelivered) {
    ReceiptJoin join;
    EXPECT_EQ(join.add(ofThree, 101, 1, delivered), Verdict::waits);
    EXPECT_EQ(join.add(ofThree, 102, 2, delivered), Verdict::waits);
    EXPECT_EQ(join.add(ofThree, 103, 3, delivered), Verdict::passes);
    EXPECT_THAT(join.ended(ofThree, 3, true), UnorderedElementsAre(1, 2));
}

TEST(ReceiptJoin, PassesTheFirstFailureAndNothingMore) {
    ReceiptJoin join;
    join.add(ofThree, 101, 1, delivered);
    EXPECT_EQ(join.add(ofThree, 102, 2, failed), Verdict::passes);
    EXPECT_EQ(join.add(ofThree, 103, 3, failed), Verdict::isTold);
    EXPECT_THAT(join.ended(ofThree, 2, true), UnorderedElementsAre(1));
    EXPECT_EQ(join.add(ofThree, 103, 4, failed), Verdict::isTold);
}

TEST(ReceiptJoin, PassesAgainWhatItsSmscHasBack) {
    for (const MessageState last : {delivered, failed}) {
        ReceiptJoin join;
        join.add({77, 2}, 101, 1, delivered);
        EXPECT_EQ(join.add({77, 2}, 102, 2, last), Verdict::passes);
        EXPECT_THAT(join.ended({77, 2}, 2, false), IsEmpty());
        EXPECT_EQ(join.add({77, 2}, 102, 3, last), Verdict::passes);
        EXPECT_THAT(join.ended({77, 2}, 3, true), UnorderedElementsAre(1));
    }
}

TEST(ReceiptJoin, CountsAPartThatIsRepeatedOnce) {
    ReceiptJoin join;
    join.add(ofThree, 101, 1, delivered);
    EXPECT_EQ(join.add(ofThree, 101, 2, delivered), Verdict::isTold);
    EXPECT_EQ(join.add(ofThree, 102, 3, delivered), Verdict::waits);
    EXPECT_THAT(join.ended(ofThree, 3, false), IsEmpty());
    EXPECT_EQ(join.add(ofThree, 102, 4, delivered), Verdict::waits);
    EXPECT_EQ(join.add(ofThree, 103, 5, delivered), Verdict::passes);
}

TEST(ReceiptJoin, CountsAPartThatWasDropped) {
    for (const MessageState last : {delivered, failed}) {
        ReceiptJoin join;
        join.add(ofThree, 101, 1, delivered);
        join.add(ofThree, 102, 2, delivered);
        EXPECT_THAT(join.ended(ofThree, 1, true), IsEmpty());
        EXPECT_EQ(join.add(ofThree, 103, 3, last), Verdict::passes);
        EXPECT_THAT(join.ended(ofThree, 3, true), UnorderedElementsAre(2));
    }
}

TEST(ReceiptJoin, ForgetsAMessageOnceAllOfItIsTold) {
    ReceiptJoin join;
    join.add({77, 2}, 101, 1, delivered);
    join.add({77, 2}, 102, 2, delivered);
    join.ended({77, 2}, 2, true);
    EXPECT_EQ(join.size(), 0u);
}

TEST(ReceiptJoin, TellsNothingOfAMessageThatIsGivenUp) {
    ReceiptJoin join;
    join.add({77, 2}, 101, 1, delivered);
    EXPECT_THAT(join.giveUp(77), UnorderedElementsAre(1));
    EXPECT_EQ(join.add({77, 2}, 102, 2, failed), Verdict::isTold);
}

TEST(ReceiptJoin, KeepsMessagesApart) {
    ReceiptJoin join;
    join.add({1, 2}, 101, 1, delivered);
    EXPECT_EQ(join.add({2, 2}, 102, 2, delivered), Verdict::waits);
    EXPECT_EQ(join.add({1, 2}, 103, 3, delivered), Verdict::passes);
    EXPECT_THAT(join.ended({3, 2}, 1, true), IsEmpty());
    EXPECT_EQ(join.size(), 2u);
}

TEST(ReceiptJoin, RemembersALimitedNumberOfMessages) {
    ReceiptJoin join;
    for (MessageId id = 1; id <= ReceiptJoin::mostRemembered + 1; ++id) {
        join.add({id, 2}, 101, id, failed);
        join.ended({id, 2}, id, true);
    }
    EXPECT_EQ(join.size(), ReceiptJoin::mostRemembered);
}

}  // namespace
}  // namespace router
