#include "echo_client/plan/Weighted.h"

#include <gtest/gtest.h>

namespace load {
namespace {

TEST(Weighted, GivesEachItsWeight) {
    const auto items = parseWeighted("a:70,b:0.5,c:1k");
    ASSERT_TRUE(items);
    ASSERT_EQ(items.value().size(), 3u);
    EXPECT_EQ(items.value()[0].what, "a");
    EXPECT_EQ(items.value()[0].weight, 70);
    EXPECT_EQ(items.value()[1].weight, 0.5);
    EXPECT_EQ(items.value()[2].weight, 1'000);
}

TEST(Weighted, GivesAllTheSameWhereNoWeightIsWritten) {
    const auto items = parseWeighted("a,b");
    ASSERT_TRUE(items);
    EXPECT_EQ(items.value()[0].weight, items.value()[1].weight);
}

TEST(Weighted, RefusesWhatIsNoListInOneSentence) {
    for (const char* text :
         {"", ",", "a,", ",a", "a:", "a:0", "a:-1", "a:x", ":1", "a:1,b", "a,b:1", "a:1:2"}) {
        const auto items = parseWeighted(text);
        ASSERT_FALSE(items) << text;
        EXPECT_EQ(items.error().context().find(std::string("'") + text + "': "), 0u) << text;
    }
}

}  // namespace
}  // namespace load
