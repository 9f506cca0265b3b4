#include "sms_router/flow/NumberMark.h"

#include <gtest/gtest.h>

namespace router {
namespace {

TEST(NumberMark, IsThatOfTheLastSixDigits) {
    EXPECT_EQ(numberMark("+491701234567"), numberMark("01701234567"));
    EXPECT_EQ(numberMark("0049 170 1234567"), numberMark("1234567"));
    EXPECT_NE(numberMark("491701234567"), numberMark("491701234568"));
    EXPECT_NE(numberMark("491701234567"), numberMark("491701334567"));
}

TEST(NumberMark, WithoutDigitsThereIsNone) {
    EXPECT_EQ(numberMark(""), 0);
    EXPECT_EQ(numberMark("SHOP"), 0);
    EXPECT_NE(numberMark("0"), 0);
    EXPECT_NE(numberMark("000000"), 0);
}

TEST(NumberMark, WhatIsNotKnownMayBeAnyNumber) {
    EXPECT_TRUE(mayBeSameNumber(5, 5));
    EXPECT_FALSE(mayBeSameNumber(5, 6));
    EXPECT_TRUE(mayBeSameNumber(0, 6));
    EXPECT_TRUE(mayBeSameNumber(5, 0));
}

}  // namespace
}  // namespace router
