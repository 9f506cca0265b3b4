#include "echo_client/figures/ProcessUse.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include <nio/sys/Kernel.h>

namespace load {
namespace {

using namespace std::chrono_literals;

TEST(ProcessUse, TellsTheTimeAndTheMemoryOfAProcess) {
    const auto use = ProcessUse::of(::getpid());
    ASSERT_TRUE(use);
    EXPECT_GT(use->cpu.count(), 0);
    EXPECT_GE(use->threads, 1u);
    EXPECT_GT(use->residentKib.value_or(0), 0u);
    EXPECT_GT(use->privateDirtyKib.value_or(0), 0u);
    EXPECT_LE(use->privateDirtyKib, use->residentKib);
}

TEST(ProcessUse, CountsTheTimeThatPassesWhileItWorks) {
    const auto before = ProcessUse::of(::getpid());
    ASSERT_TRUE(before);
    const auto began = nio::kernel::threadCpuTime();
    while (nio::kernel::threadCpuTime() - began < std::chrono::milliseconds(30)) {
    }
    const auto after = ProcessUse::of(::getpid());
    ASSERT_TRUE(after);
    EXPECT_GE(after->cpu - before->cpu, std::chrono::milliseconds(30));
    EXPECT_GT(after->user + after->system, before->user + before->system);
    EXPECT_GT(after->at, before->at);
}

// One that has ended and is still there has a time, and no memory to be read: as another user's.
TEST(ProcessUse, HasNoMemoryWhereThatCannotBeRead) {
    const pid_t ended = ::fork();
    ASSERT_GE(ended, 0);
    if (ended == 0) ::_exit(0);
    siginfo_t info{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT), 0);
    const auto use = ProcessUse::of(ended);
    EXPECT_EQ(::waitpid(ended, nullptr, 0), ended);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->residentKib, std::nullopt);
    EXPECT_EQ(use->privateDirtyKib, std::nullopt);
}

TEST(ProcessUse, KnowsNothingOfAProcessThatIsNotThere) {
    EXPECT_FALSE(ProcessUse::of(std::numeric_limits<int>::max()));
}

// --- of a server under load -----------------------------------------------------------------

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
