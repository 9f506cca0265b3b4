#include "support/Process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdexcept>

namespace support {
namespace {

TEST(Process, GivesTheLinesOfAChildAndItsExitCode) {
    Process child({"sh", "-c", "echo one; echo two; echo three >&2; exit 7"});
    EXPECT_EQ(child.readLine(), "one");
    EXPECT_EQ(child.readErrorLine(), "three");
    EXPECT_EQ(child.wait(), 7);
    EXPECT_EQ(child.output(), "two\n");
    EXPECT_EQ(child.readLine(), "two");
    EXPECT_EQ(child.readLine(), "");
}

TEST(Process, LeavesOutWhatABusyMachineMakesTheWatchdogSay) {
    Process child(
        {"sh", "-c",
         "echo one >&2; echo 'nio: a::b has been running for 100 ms' >&2; printf 'c ha' >&2;"
         " echo 's been running for 1 s' >&2; echo two >&2; printf three >&2"});
    EXPECT_EQ(child.readErrorLine(), "one");
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.errors(), "two\nthree");
}

TEST(Process, TakesMoreOutputThanAPipeHolds) {
    Process child({"sh", "-c",
                   "i=0; while [ $i -lt 3000 ]; do i=$((i+1));"
                   " echo 0123456789012345678901234567890123456789;"
                   " echo 0123456789012345678901234567890123456789 >&2; done"});
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.output().size(), 3000u * 41);
    EXPECT_EQ(child.errors().size(), 3000u * 41);
}

TEST(Process, TellsTheSignalThatEndedAChild) {
    Process child({"sh", "-c", "echo ready; exec sleep 1000"});
    EXPECT_EQ(child.readLine(), "ready");
    child.signal(SIGTERM);
    EXPECT_EQ(child.wait(), 128 + SIGTERM);
}

TEST(Process, KillsAChildThatIsLetGo) {
    pid_t pid = -1;
    {
        Process child({"sleep", "1000"});
        pid = child.pid();
        EXPECT_EQ(::kill(pid, 0), 0);
    }
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST(Process, RefusesAProgramThatIsNotThere) {
    EXPECT_THROW(Process({"/nowhere/at-all"}), std::runtime_error);
}

}  // namespace
}  // namespace support
