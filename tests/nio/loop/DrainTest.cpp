#include <nio/loop/Drain.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

TEST(DrainReport, SaysWhatBecameOfTheConnections) {
    EXPECT_EQ(DrainReport{}.toString(), "0 connections drained, 0 aborted, 0 bytes lost");
    const DrainReport report{12, 3, 456, 0};
    EXPECT_EQ(report.toString(), "12 connections drained, 3 aborted, 456 bytes lost");
}

TEST(DrainReport, TellsOfUnreadBytesWhereThereAreAny) {
    const DrainReport report{1, 0, 0, 7};
    EXPECT_EQ(report.toString(), "1 connections drained, 0 aborted, 0 bytes lost, 7 bytes unread");
}

TEST(DrainReport, DoesNotCallAConnectionDrainedThatLostBytes) {
    DrainReport report;
    report.add({0, 2}, false);
    report.add({5, 0}, false);
    report.add({7, 1}, true);
    EXPECT_EQ(report.toString(),
              "1 connections drained, 1 aborted, 1 cut off, 12 bytes lost, 3 bytes unread");
}

TEST(DrainReport, AddsUp) {
    DrainReport sum{1, 2, 3, 4, 5};
    sum += DrainReport{10, 20, 30, 40, 50};
    EXPECT_EQ(sum.cutOff, 55u);
    EXPECT_EQ(sum.drained, 11u);
    EXPECT_EQ(sum.aborted, 22u);
    EXPECT_EQ(sum.bytesLost, 33u);
    EXPECT_EQ(sum.bytesUnread, 44u);
}

}  // namespace
}  // namespace nio
