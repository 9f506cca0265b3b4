#include <nio/connection/WaterMarks.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

class WaterMarksTest : public testing::Test {
  protected:
    bool update(std::size_t pending, bool memoryIsShort = false) {
        return marks.update(pending, 100, 50, memoryIsShort);
    }

    WaterMarks marks;
};

TEST_F(WaterMarksTest, RisesAboveTheHighMarkOnly) {
    EXPECT_FALSE(update(100));
    EXPECT_FALSE(marks.isAbove());
    EXPECT_TRUE(update(101));
    EXPECT_TRUE(marks.isAbove());
    EXPECT_FALSE(update(200));
}

TEST_F(WaterMarksTest, StaysAboveUntilTheLowMark) {
    update(101);
    EXPECT_FALSE(update(51));
    EXPECT_TRUE(marks.isAbove());
    EXPECT_TRUE(update(50));
    EXPECT_FALSE(marks.isAbove());
    EXPECT_FALSE(update(51));
}

TEST_F(WaterMarksTest, ShortMemoryRaisesAnyPendingOutput) {
    EXPECT_FALSE(update(0, true));
    EXPECT_TRUE(update(1, true));
    EXPECT_TRUE(marks.isAbove());
    EXPECT_TRUE(marks.isByBudget());
}

TEST_F(WaterMarksTest, FallsAtOnceWhenMemoryIsFreed) {
    update(90, true);
    EXPECT_TRUE(update(90));
    EXPECT_FALSE(marks.isAbove());
    EXPECT_FALSE(marks.isByBudget());
}

TEST_F(WaterMarksTest, FallsWithNoOutputWhileMemoryIsShort) {
    update(1, true);
    EXPECT_TRUE(update(0, true));
    EXPECT_FALSE(marks.isByBudget());
}

TEST_F(WaterMarksTest, OwnMarkOutlastsTheBudget) {
    update(101);
    EXPECT_FALSE(update(60, true));
    EXPECT_FALSE(marks.isByBudget());
    EXPECT_FALSE(update(60));
    EXPECT_TRUE(marks.isAbove());
}

TEST_F(WaterMarksTest, BudgetPauseBecomesOneByTheMark) {
    update(1, true);
    EXPECT_FALSE(update(101, true));
    EXPECT_FALSE(marks.isByBudget());
    EXPECT_FALSE(update(60));
    EXPECT_TRUE(marks.isAbove());
}

}  // namespace
}  // namespace nio
