#include "sms_router/delivery/PassedReceipts.h"

#include <gtest/gtest.h>

namespace router {
namespace {

TEST(PassedReceipts, KnowsWhatIsInFlightAndWhatIsSafe) {
    PassedReceipts passed;
    EXPECT_EQ(passed.find(7), PassedReceipts::none);
    const PassedReceipts::Place place = passed.add(7);
    ASSERT_NE(place, PassedReceipts::none);
    EXPECT_EQ(passed.find(7), place);
    EXPECT_FALSE(passed.isSafe(place));
    passed.ended(place, true);
    EXPECT_EQ(passed.find(7), place);
    EXPECT_TRUE(passed.isSafe(place));
    EXPECT_EQ(passed.find(8), PassedReceipts::none);
}

TEST(PassedReceipts, ForgetsWhatWasRefused) {
    PassedReceipts passed;
    passed.ended(passed.add(7), false);
    EXPECT_EQ(passed.find(7), PassedReceipts::none);
}

TEST(PassedReceipts, ForgetsTheEarliestThatIsSafe) {
    PassedReceipts passed;
    const PassedReceipts::Place first = passed.add(0);
    for (std::uint32_t meaning = 1; meaning < 20; ++meaning) {
        passed.ended(passed.add(meaning), true);
        EXPECT_EQ(passed.find(0), first) << "in flight";
    }
    EXPECT_NE(passed.find(19), PassedReceipts::none);
    EXPECT_NE(passed.find(17), PassedReceipts::none);
    EXPECT_EQ(passed.find(16), PassedReceipts::none);
}

TEST(PassedReceipts, HasNoPlaceWhereAllAreInFlight) {
    PassedReceipts passed;
    for (std::uint32_t meaning = 0; meaning < PassedReceipts::most; ++meaning) {
        EXPECT_NE(passed.add(meaning), PassedReceipts::none);
    }
    const PassedReceipts::Place place = passed.add(99);
    EXPECT_EQ(place, PassedReceipts::none);
    EXPECT_FALSE(passed.isSafe(place));
    passed.ended(place, true);
    EXPECT_EQ(passed.find(99), PassedReceipts::none);
    EXPECT_NE(passed.find(0), PassedReceipts::none);
}

}  // namespace
}  // namespace router
