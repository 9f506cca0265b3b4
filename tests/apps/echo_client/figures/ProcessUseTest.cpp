#include "echo_client/figures/ProcessUse.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include <nio/sys/Kernel.h>

namespace load {
namespace {

TEST(ProcessUse, TellsTheTimeAndTheMemoryOfAProcess) {
    const auto use = ProcessUse::of(::getpid());
    ASSERT_TRUE(use);
    EXPECT_GT(use->cpu.count(), 0);
    EXPECT_GE(use->threads, 1u);
    EXPECT_GT(use->residentKib, 0u);
    EXPECT_GT(use->privateDirtyKib, 0u);
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

TEST(ProcessUse, KnowsNothingOfAProcessThatIsNotThere) {
    EXPECT_FALSE(ProcessUse::of(std::numeric_limits<int>::max()));
}

}  // namespace
}  // namespace load
