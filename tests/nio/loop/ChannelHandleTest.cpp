#include <nio/loop/ChannelHandle.h>

#include <gtest/gtest.h>

#include "support/TestDispatcher.h"

namespace {

using nio::ChannelHandle;
using support::TestDispatcher;

TEST(ChannelHandle, IsEqualOnlyForTheSameChannelOfTheSameDispatcher) {
    TestDispatcher a, b;
    const ChannelHandle handle(*a, 3, 7);
    EXPECT_EQ(handle, ChannelHandle(*a, 3, 7));
    EXPECT_NE(handle, ChannelHandle(*b, 3, 7));
    EXPECT_NE(handle, ChannelHandle(*a, 4, 7));
    EXPECT_NE(handle, ChannelHandle(*a, 3, 8)) << "another one later in the same slot";
    EXPECT_NE(handle, ChannelHandle());
}

}  // namespace
