#include "sms_router/config/Spelling.h"

#include <gtest/gtest.h>

namespace router {
namespace {

const std::vector<std::string> known{"window", "weight", "host", "tls"};

TEST(Spelling, FindsTheNearestName) {
    EXPECT_EQ(nearest("windwo", known), "window");
    EXPECT_EQ(nearest("windows", known), "window");
    EXPECT_EQ(nearest("wieght", known), "weight");
    EXPECT_EQ(nearest("hst", known), "host");
    EXPECT_EQ(nearest("hsot", known), "host");
    EXPECT_EQ(nearest("tsl", known), "tls");
}

TEST(Spelling, GuessesNothingThatIsFarAway) {
    for (const char* wrong : {"colour", "xy", "", "t", "windowless"}) {
        EXPECT_EQ(nearest(wrong, known), "") << wrong;
    }
    EXPECT_EQ(nearest(std::string(10'000, 'x'), {std::string(10'000, 'y')}), "");
}

TEST(Spelling, AsksOnlyWhenThereIsSomethingToAsk) {
    EXPECT_EQ(didYouMean("hots", known), "; did you mean 'host'?");
    EXPECT_EQ(didYouMean("colour", known), "");
}

TEST(Spelling, ListsNames) {
    EXPECT_EQ(listed({"a", "b", "c"}), "a, b, c");
    EXPECT_EQ(listed({}), "");
}

}  // namespace
}  // namespace router
