#include "echo_client/figures/ServerUse.h"

#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;

ServerUse twoSeconds(nio::Clock::duration cpu, nio::Clock::duration user,
                     nio::Clock::duration system) {
    ServerUse use;
    use.from = {nio::TimePoint(10s), 1s, 1s, 1s};
    use.to = {nio::TimePoint(12s), 1s + cpu, 1s + user, 1s + system};
    return use;
}

TEST(ServerUse, SharesTheCpuTimeOutAmongTheEchoesOfItsOwnTime) {
    const ServerUse use = twoSeconds(1s, 0s, 0s);
    EXPECT_DOUBLE_EQ(use.seconds(), 2);
    EXPECT_DOUBLE_EQ(use.cpuSeconds(), 1);
    EXPECT_DOUBLE_EQ(use.microsPerEcho(1000), 500);
}

TEST(ServerUse, TakesTheUserPartFromTheTicks) {
    EXPECT_DOUBLE_EQ(twoSeconds(1s, 100ms, 300ms).userPart(), 0.25);
}

TEST(ServerUse, IsNothingWhereNothingHappened) {
    EXPECT_DOUBLE_EQ(twoSeconds(0s, 0s, 0s).userPart(), 0);
    EXPECT_DOUBLE_EQ(twoSeconds(1s, 0s, 0s).microsPerEcho(0), 0);
}

}  // namespace
}  // namespace load
