#include <nio/sys/IoResult.h>

#include <gtest/gtest.h>

#include <type_traits>

namespace nio {
namespace {

static_assert(sizeof(IoResult) <= 2 * sizeof(void*));
static_assert(std::is_trivially_copyable_v<IoResult>);

TEST(IoResult, SaysWhatBecameOfATransfer) {
    EXPECT_TRUE(IoResult::done(7).isDone());
    EXPECT_EQ(IoResult::done(7).bytes, 7u);
    EXPECT_EQ(IoResult::wouldBlock().status, IoStatus::wouldBlock);
    EXPECT_EQ(IoResult::closed().status, IoStatus::closed);
    for (const IoResult other : {IoResult::wouldBlock(), IoResult::closed()}) {
        EXPECT_FALSE(other.isDone());
        EXPECT_FALSE(other.isFailed());
        EXPECT_EQ(other.bytes, 0u);
    }
}

TEST(IoResult, TurnsAFailureIntoAnError) {
    const IoResult failed = IoResult::failed(std::errc::connection_reset);
    EXPECT_TRUE(failed.isFailed());
    EXPECT_FALSE(failed.isDone());
    const Error error = failed.error("receive");
    EXPECT_TRUE(error.is(std::errc::connection_reset));
    EXPECT_EQ(error.context(), "receive");
}

}  // namespace
}  // namespace nio
