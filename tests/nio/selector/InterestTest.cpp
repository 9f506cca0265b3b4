#include <nio/selector/Interest.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

TEST(Interest, IsASet) {
    const Interest both = Interest::read | Interest::write;
    EXPECT_EQ(both & Interest::read, Interest::read);
    EXPECT_EQ(both - Interest::read, Interest::write);
    EXPECT_EQ(Interest::read - both, Interest::none);
    EXPECT_EQ(both | Interest::write, both);
}

TEST(Interest, IsAnyUnlessItIsNone) {
    EXPECT_FALSE(any(Interest::none));
    for (Interest each : {Interest::read, Interest::write, Interest::connect, Interest::accept}) {
        EXPECT_TRUE(any(each));
        EXPECT_FALSE(any(each & Interest::none));
    }
}

}  // namespace
}  // namespace nio
