#include <nio/loop/Drain.h>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

TEST(CloseRequest, OfSeveralTheEarliestDeadlineCounts) {
    nio::CloseRequest request;
    EXPECT_FALSE(request.isThere());
    request.put({.deadline = 5s});
    request.put({.deadline = 2s});
    request.put({.deadline = 3s});
    ASSERT_TRUE(request.isThere());
    EXPECT_EQ(request.take().deadline, 2s);
    EXPECT_FALSE(request.isThere());
}

TEST(CloseRequest, IsForgottenOnceItIsTaken) {
    nio::CloseRequest request;
    request.put({.deadline = 1s});
    (void)request.take();
    request.put({.deadline = 4s});
    EXPECT_EQ(request.take().deadline, 4s);
}

}  // namespace
